import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readArchive } from "./archive.ts";
import { tgzOf, zipOf } from "./testing/pack.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "archive-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const LIMITS = { packedBytes: 1_000_000, unpackedBytes: 8_000_000, entries: 5, ratio: 10 };
const BIG = "0".repeat(5_000_000);

async function readBack(name: string, bytes: Buffer): Promise<Record<string, string>> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const files = await readArchive(path, (one) => !one.endsWith(".txt"), LIMITS);
  // Nothing is ever written beside it.
  expect(await readdir(folder)).toEqual([name]);
  return Object.fromEntries(files.map((file) => [file.name, file.bytes.toString()]));
}

const FILES = { "run/a.jsonl": "first\n", "run/deeper/b.jsonl": "second ü\n", "run/notes.txt": "unread" };
const WANTED = { "run/a.jsonl": "first\n", "run/deeper/b.jsonl": "second ü\n" };

describe("an archive", () => {
  it("gives the files that are wanted, from any of its forms", async () => {
    expect(await readBack("a.zip", zipOf(FILES))).toEqual(WANTED);
    await rm(join(folder, "a.zip"));
    expect(await readBack("a.tgz", await tgzOf(FILES))).toEqual(WANTED);
    await rm(join(folder, "a.tgz"));
    expect(await readBack("a.jsonl.gz", gzipSync("one\n"))).toEqual({ "a.jsonl": "one\n" });
  });

  it("gives a file unpacked that was packed before", async () => {
    const inner = gzipSync("inside\n");
    const path = join(folder, "a.zip");
    await writeFile(path, zipOf({ "x.jsonl.gz": "" }));
    await expect(readArchive(path, () => true)).rejects.toThrow("cannot unpack");
    const { packTar } = await import("modern-tar");
    const tar = await packTar([{ header: { name: "x.jsonl.gz", size: inner.length }, body: inner }]);
    await rm(path);
    expect(await readBack("b.tar", Buffer.from(tar))).toEqual({ "x.jsonl": "inside\n" });
  });
});

describe("an archive that is not to be trusted", () => {
  it.each([
    ["leads out of it", () => zipOf({ "../../etc/x.jsonl": "" }), "a.zip", /relative path|leads out/],
    ["leads to the root", () => zipOf({ "/etc/x.jsonl": "" }), "a.zip", /absolute path|leads out/],
    ["leads out of it", () => tgzOf({ "a/../../x.jsonl": "" }), "a.tgz", /a name that leads out of it/],
    ["leads to the root", () => tgzOf({ "/etc/x.jsonl": "" }), "a.tgz", /a name that leads out of it/],
    [
      "is one of too many",
      () => zipOf(Object.fromEntries([..."abcdef"].map((n) => [n, ""]))),
      "a.zip",
      /more than 5 files/,
    ],
    [
      "is one of too many",
      () => tgzOf(Object.fromEntries([..."abcdef"].map((n) => [n, ""]))),
      "a.tgz",
      /more than 5 files/,
    ],
    ["is far larger than it", () => zipOf({ a: BIG }), "a.zip", /unpacks to more than 4194304 bytes/],
    ["is far larger than it", () => tgzOf({ a: BIG }), "a.tgz", /unpacks to more than 4194304 bytes/],
    ["is far larger than it", () => gzipSync(BIG), "a.jsonl.gz", /unpacks to more than 4194304 bytes/],
    [
      "is larger than it claims",
      () => zipOf({ a: BIG }, { claimedBytes: 10 }),
      "a.zip",
      /too many bytes|cannot unpack/,
    ],
  ])("because a name or file in it %s is refused (%#)", async (_why, pack, name, sentence) => {
    await expect(readBack(name, await pack())).rejects.toThrow(sentence);
  });

  it.each(["a.zip", "a.tgz", "a.tar", "a.jsonl.gz"])(
    "and that is no archive at all is refused: %s",
    async (name) => {
      await expect(readBack(name, Buffer.from("this is no archive"))).rejects.toThrow(
        /cannot unpack '.*': it is damaged or was not sent whole/,
      );
    },
  );

  it("and that was cut anywhere is refused", async () => {
    const whole = { "a.tgz": await tgzOf(FILES), "a.zip": zipOf(FILES), "a.jsonl.gz": gzipSync("one\n") };
    for (const [name, bytes] of Object.entries(whole))
      for (let length = 0; length < bytes.length; length += 7) {
        const cut = bytes.subarray(0, length);
        await expect(readBack(name, cut), `${name} cut to ${length}`).rejects.toThrow("cannot unpack");
        await rm(join(folder, name));
      }
  });

  it("and of which a byte was changed does not give another text", async () => {
    for (const [name, bytes] of Object.entries({ "a.tgz": await tgzOf(FILES), "a.zip": zipOf(FILES) }))
      for (let at = 0; at < bytes.length; at += 3) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 0x41;
        const read = await readBack(name, changed).catch(() => ({}));
        for (const text of Object.values(read)) expect(Object.values(FILES)).toContain(text);
        await rm(join(folder, name));
      }
  });
});
