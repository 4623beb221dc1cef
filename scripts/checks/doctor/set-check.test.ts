import { expect, it } from "vitest";
import { SdkSet } from "../../../experiments/sdk-sets.ts";
import { checkSet } from "./set-check.ts";

const setOf = (fields: object) => SdkSet.parse({ name: "tried", description: "Made for a test.", ...fields });

it("tells what a set that needs no registry runs on", async () => {
  const { status, found } = await checkSet(setOf({ hostLayout: "2", compatibilityDate: "2026-10-12" }));
  expect(status).toBe("ok");
  expect(found).toMatch(
    /^tried: agents \S+, workerd \S+, host \S+ \S+\+layout-2, compatibility date 2026-10-12$/,
  );
});

it("warns of one that is not installed, and installs nothing", async () => {
  const set = setOf({ packages: { agents: "0.0.1-never-installed" } });
  expect(await checkSet(set)).toMatchObject({ status: "warn", found: "tried, which is not installed" });
});

it("fails for a compatibility date that the set's runtime does not know", async () => {
  const { status, found } = await checkSet(setOf({ compatibilityDate: "2099-01-01" }));
  expect(status).toBe("fail");
  expect(found).toMatch(/knows no compatibility date after \d{4}-\d\d-\d\d, and the set names 2099-01-01$/);
});
