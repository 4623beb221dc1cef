/** The crash matrix on the stand-in; cases/crash-matrix.ts has the rows. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { CRASH_MATRIX } from "../../scripts/checks/contract/cases/crash-matrix.ts";
import { Lab } from "../../scripts/checks/contract/host-lab.ts";
import { noteFor } from "../../scripts/checks/contract/notes.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.start("stand-in");
});
afterAll(() => lab.stop());

describe("crash after …", () => {
  for (const { name, run } of CRASH_MATRIX) test(name, () => run(lab, noteFor("stand-in")));
});
