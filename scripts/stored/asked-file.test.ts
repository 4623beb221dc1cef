import { describe, expect, it } from "vitest";
import { askedFile, askedTry } from "./asked-file.ts";

describe("how a run was asked for", () => {
  it.each([
    [["recovery-kit", "run", "./recovery.config.ts"], "./recovery.config.ts"],
    [["recovery-kit", "run", "--repeats", "3", "my.mts", "--quick"], "my.mts"],
    [["recovery-kit", "run", "recovery"], null],
    [["recovery-kit", "run", "--last-failed"], null],
    [["recovery-kit", "try", "--agent", "node agent.ts"], null],
    [[], null],
  ])("%j: file %s", (commandLine, file) => {
    expect(askedFile(commandLine)).toBe(file);
  });

  it("tells a try, with what it was given", () => {
    expect(askedTry(["recovery-kit", "try", "--agent", "node a.js"])).toEqual(["--agent", "node a.js"]);
    expect(askedTry(["recovery-kit", "run", "try"])).toBeNull();
  });
});
