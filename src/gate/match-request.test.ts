import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { GateRules, Match } from "./gate-rules.ts";
import { matchRequest } from "./match-request.ts";

test.each([
  [
    "POST https://api.example.com/repos/*/issues",
    "POST",
    "https://api.example.com/repos/a/b/issues",
    ["a/b"],
  ],
  ["POST https://api.example.com/repos/*/issues", "GET", "https://api.example.com/repos/a/b/issues", null],
  ["POST https://api.example.com/repos/*/issues", "POST", "https://api.example.com/repos/a/issues/1", null],
  ["* https://API.Example.com:443", "PUT", "https://api.example.com/?a=1#b", []],
  ["GET http://x.example:80/a", "get", "http://x.example/a?b=1", []],
  ["GET https://x.example/a?b=*", "GET", "https://x.example/a?b=1", ["1"]],
  ["GET https://x.example/a?b=*", "GET", "https://x.example/a?c=1", null],
  ["GET https://*.example.com/a", "GET", "https://eu.example.com/a", ["eu"]],
  ["GET https://x.example*", "GET", "https://x.example:8443/a/b", [":8443/a/b"]],
  ["GET https://x.example/*/*", "GET", "https://x.example/a/b/c", ["a", "b/c"]],
  ["GET wss://x.example/live", "GET", "https://x.example/live", []],
])("%s and %s %s", (match, method, url, stars) => {
  expect(matchRequest(Match.parse(match), method, url)).toEqual(stars);
});

const segment = fc.stringMatching(/^[a-z0-9._~-]{0,8}$/);

describe("the stars of a rule", () => {
  it("put back in their places give the address, whatever they stand for", () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 6 }), fc.array(segment), (fixed, between) => {
        const pattern = `https://x.example/${fixed.join("*")}`;
        const url = fixed.reduce(
          (text, part, at) => `${text}${at === 0 ? "" : (between[at] ?? "")}${part}`,
          "https://x.example/",
        );
        // A path of dots is another path to a URL.
        fc.pre(new URL(url).href === url);
        const stars = matchRequest(`GET ${pattern}`, "GET", url) ?? [];
        expect(stars).toHaveLength(fixed.length - 1);
        const again = pattern.split("*").reduce((text, part, at) => `${text}${stars[at - 1]}${part}`);
        expect(again).toBe(url);
      }),
    );
  });

  it("are found in time that grows with the address, not with the ways to divide it", () => {
    const match = Match.parse(`GET https://x.example/${"*a".repeat(500)}b`);
    expect(matchRequest(match, "GET", `https://x.example/${"a".repeat(5_000)}`)).toBeNull();
  });
});

test("nothing but this machine can be allowed", () => {
  const allowed = (match: string) => GateRules.safeParse({ allow: [match] }).success;
  expect(
    ["* http://127.0.0.1:8080/*", "GET http://127.0.0.1/a", "GET http://127.0.0.1*"].map(allowed),
  ).toEqual([true, true, true]);
  for (const match of [
    "* https://example.com/*",
    "* http://127.0.0.1.example.com/",
    "* http://*",
    "* http://127.0.0.1@x.example/",
  ])
    expect(allowed(match)).toBe(false);
});
