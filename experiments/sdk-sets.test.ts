import { expect, it } from "vitest";
import { knownFindings } from "./known-findings.ts";
import { SdkSet, sdkSets } from "./sdk-sets.ts";

it("declares sets that hold, each under a name of its own", () => {
  const names = sdkSets().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names[0]).toBe("current");
});

it("gives a date to each set that brings a runtime of its own", () => {
  for (const { packages, compatibilityDate } of sdkSets())
    if (packages.miniflare !== undefined) expect(compatibilityDate).toBeDefined();
});

it("refuses a package that no subject is made of", () => {
  expect(SdkSet.safeParse({ name: "x", description: "x", packages: { vitest: "1.0.0" } }).success).toBe(
    false,
  );
});

it("lists known findings for pairs of declared sets", () => {
  const names = sdkSets().map(({ name }) => name);
  for (const from of names) for (const to of names) knownFindings(from, to);
});
