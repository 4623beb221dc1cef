/** The host contract, checked on the stand-in under the real OpenCodeHarness in workerd. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { GROUPS } from "./cases/index.ts";
import { Lab } from "./lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.start("stand-in");
});
afterAll(() => lab.stop());

for (const [group, cases] of Object.entries(GROUPS)) {
  describe(group, () => {
    for (const { name, section, run } of cases) {
      test(`${name} (${section})`, () => run(lab));
    }
  });
}
