/**
 * The host contract, checked on the stand-in under the real OpenCodeHarness in workerd. `npm run test:contract`
 * puts the real package through the same cases.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GROUPS, UNCERTAIN_CASES } from "../../scripts/checks/contract/cases/index.ts";
import { Lab } from "../../scripts/checks/contract/host-lab.ts";
import { noteFor, type Observation } from "../../scripts/checks/contract/notes.ts";
import { CHOICES } from "../../scripts/checks/contract/uncertain-choices.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.start("stand-in");
});
afterAll(() => lab.stop());

const seen = new Map<string, Observation>();
const note = noteFor("stand-in", (observation) => seen.set(observation.question, observation));

for (const [group, cases] of Object.entries(GROUPS)) {
  describe(group, () => {
    for (const { name, section, run } of cases) test(`${name} (${section})`, () => run(lab, note));
  });
}

describe("uncertain, where the stand-in does as documented", () => {
  for (const { name, section, run } of UNCERTAIN_CASES) test(`${name} (${section})`, () => run(lab, note));

  test("every uncertain question was observed", () => {
    for (const { question, observed, detail } of seen.values())
      console.log(`uncertain: ${question}: ${observed}${detail === null ? "" : ` (${detail})`}`);
    expect([...seen.keys()].toSorted()).toEqual(Object.keys(CHOICES).toSorted());
  });
});
