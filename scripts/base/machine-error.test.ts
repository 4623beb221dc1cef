import { existsSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { MachineError, machineErrorOf } from "./machine-error.ts";

/** As Node makes them; not every refusal can be had from the machine that tests run on. */
function refused(code: string): Error {
  return Object.assign(new Error(`${code}: refused, write`), { code, syscall: "write" });
}

describe("a refusal of the machine", () => {
  it.each([
    ...["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EMFILE", "ENFILE", "EIO", "ENOMEM"],
  ])("%s is one sentence, also where a library wrapped it", (code) => {
    const sentence = new RegExp(`^cannot write: [^\\n]+ \\(${code}\\); [^\\n]+[^.\\n]$`);
    expect(machineErrorOf(refused(code))?.message).toMatch(sentence);
    const wrapped = new Error("it failed", { cause: new TypeError("inside", { cause: refused(code) }) });
    expect(machineErrorOf(wrapped)?.message).toMatch(sentence);
  });

  it("is told as it came where it is one already", () => {
    const error = new MachineError("cannot do that");
    expect(machineErrorOf(error)).toBe(error);
  });

  it.skipIf(!existsSync("/dev/full"))(
    "names the path that was asked for before the one that the system saw",
    async () => {
      const file = await open("/dev/full", "w");
      const error: unknown = await file.writeFile("text").catch((reason: unknown) => reason);
      await file.close();
      expect(machineErrorOf(error, { operation: "write", path: "/dev/full" })?.message).toBe(
        "cannot write '/dev/full': no space is left on the disk (ENOSPC); free some",
      );
    },
  );

  it("is not a file of the kit's own that is missing, nor any other error: those are bugs", () => {
    let missing: unknown;
    try {
      readFileSync("/nowhere");
    } catch (error) {
      missing = error;
    }
    expect(machineErrorOf(missing)).toBeNull();
    expect(machineErrorOf(missing, { operation: "read", path: "/nowhere" })?.code).toBe("ENOENT");
    for (const error of [new Error("a bug"), "text", null, undefined, { code: "ENOSPC", syscall: "write" }])
      expect(machineErrorOf(error)).toBeNull();
  });

  it("needs no more than what the error says, so a circle of causes ends", () => {
    const error = new Error("circle");
    error.cause = error;
    expect(machineErrorOf(error)).toBeNull();
  });
});
