/**
 * The host contract, checked under the real OpenCodeHarness in workerd. On the stand-in by default; where the real
 * packages are installed, `CONTRACT_HOST=sdk` puts them through the cases that need no seams.
 */
import { afterAll, beforeAll, describe, test } from "vitest";
import { GROUPS } from "./cases/index.ts";
import { type HostName, Lab } from "./lab.ts";

const host: HostName = process.env.CONTRACT_HOST === "sdk" ? "sdk" : "stand-in";

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.start(host);
});
afterAll(() => lab.stop());

for (const [group, cases] of Object.entries(GROUPS)) {
  describe(group, () => {
    for (const { name, section, needs, run } of cases) {
      // The real package has no crash points and no way to shorten its delays.
      test.skipIf(host === "sdk" && needs === "seams")(`${name} (${section})`, () => run(lab));
    }
  });
}
