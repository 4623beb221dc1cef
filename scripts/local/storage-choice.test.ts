import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { UserError } from "../base/user-error.ts";
import { chooseAmong, chooseStorage, type Place } from "./storage-choice.ts";

const GB = 2 ** 30;
const shared: Place = { folder: "/shared", inMemory: true, freeBytes: GB };
const disk: Place = { folder: "/temporary", inMemory: false, freeBytes: 100 * GB };

describe("where a run keeps its storage", () => {
  it("is memory where there is room for all trials, and the disk where there is not", () => {
    expect(chooseAmong("auto", 200, shared, disk)).toEqual({ storage: "memory", parent: "/shared" });
    expect(chooseAmong("auto", 1_000, shared, disk)).toEqual({ storage: "disk", parent: "/temporary" });
    // As a container has it by default.
    const small = { ...shared, freeBytes: 64 * 2 ** 20 };
    expect(chooseAmong("auto", 10, small, disk)).toMatchObject({ storage: "memory" });
    expect(chooseAmong("auto", 76, small, disk)).toMatchObject({ storage: "disk" });
  });

  it("is the disk where there is no memory to write to", () => {
    const notTmpfs = { ...shared, inMemory: false };
    for (const other of [null, notTmpfs])
      expect(chooseAmong("auto", 1, other, disk)).toEqual({ storage: "disk", parent: "/temporary" });
  });

  it("is called memory wherever it is, also in a temporary folder", () => {
    const temporary = { ...disk, inMemory: true };
    expect(chooseAmong("auto", 10, null, temporary)).toEqual({ storage: "memory", parent: "/temporary" });
    const full = { ...temporary, freeBytes: 0 };
    expect(chooseAmong("auto", 10, null, full)).toMatchObject({ storage: "memory" });
    expect(() => chooseAmong("disk", 10, shared, temporary)).toThrow(
      "--storage disk: the system's temporary folder '/temporary' lies in memory; set TMPDIR to a folder on a disk, or use --storage memory",
    );
  });

  it("is never another than the one that was asked for", () => {
    expect(chooseAmong("disk", 1, shared, disk)).toEqual({ storage: "disk", parent: "/temporary" });
    expect(() => chooseAmong("memory", 1_000, shared, disk)).toThrow(UserError);
    expect(() => chooseAmong("memory", 1_000, shared, disk)).toThrow(
      /^--storage memory: 1000 trials need \d+ MB and \/shared has room for 1024 MB; use --storage disk, /,
    );
    expect(() => chooseAmong("memory", 1, null, disk)).toThrow("this machine has no tmpfs in /dev/shm;");
  });

  it("is what it is called on this machine", () => {
    const { storage, parent } = chooseStorage("auto", 1);
    expect(["/dev/shm", tmpdir()]).toContain(parent);
    expect(statfsSync(parent).type === 0x01021994).toBe(storage === "memory");
  });
});
