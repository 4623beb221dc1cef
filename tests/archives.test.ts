/** A run that was mailed as an archive: every command that reads stored traces says of it what it says of the folder. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tgzOf, zipOf } from "../scripts/stored/testing/pack.ts";
import { duplicateTrial, harmlessTrial, storeRun } from "../scripts/stored/testing/stored-trials.ts";
import { kit } from "./support/in-process.ts";

let dir: string;
let files: Record<string, string>;
const run = () => join(dir, "mailed");

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "archives-"));
  const named = (number: number) => ({ run: "mailed", trial: `mailed-00${number}` });
  await storeRun(run(), [duplicateTrial(named(1)), harmlessTrial(named(2))]);
  files = Object.fromEntries(
    await Promise.all(
      (await readdir(run())).map(async (name) => [name, await readFile(join(run(), name), "utf8")] as const),
    ),
  );
  const nested = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [`out/mailed/${name}`, text]),
  );
  await mkdir(join(dir, "packed"));
  await writeFile(join(dir, "packed", "flat.zip"), zipOf(files));
  await writeFile(join(dir, "packed", "nested.zip"), zipOf({ ...nested, "__MACOSX/out/._x.jsonl": "junk" }));
  await writeFile(join(dir, "packed", "nested.tgz"), await tgzOf(nested));
  const two = { ...nested, "out/other/mailed-001.jsonl": files["mailed-001.jsonl"] ?? "" };
  await writeFile(join(dir, "packed", "two.zip"), zipOf(two));
  await writeFile(join(dir, "packed", "one.jsonl.gz"), gzipSync(files["mailed-002.jsonl"] ?? ""));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Without the lines that name a path. */
async function said(...args: string[]): Promise<string> {
  const { code, stdout } = await kit(...args);
  const plain = stdout.split("\n").filter((line) => !/^(Traces?|Report|Each by itself): /.test(line));
  return `${code}\n${plain.join("\n")}`;
}
const packed = (name: string) => join(dir, "packed", name);

describe.each(["flat.zip", "nested.zip", "nested.tgz"])("a run as %s", (name) => {
  it.each(["judge", "summary"])("is no other to %s", async (command) => {
    expect(await said(command, packed(name))).toBe(await said(command, run()));
  });
  it("is no other to show, report and compare", async () => {
    expect(await said("show", packed(name), "2")).toBe(await said("show", run(), "2"));
    const out = (file: string) => ["--out", join(dir, file)];
    expect(await said("report", packed(name), ...out("a.html"))).toBe(
      await said("report", run(), ...out("b.html")),
    );
    expect(await said("compare", packed(name), run())).toBe(await said("compare", run(), run()));
  });
  it("is left as it is, and nothing is put beside it", async () => {
    const before = await readFile(packed(name));
    const beside = await readdir(join(dir, "packed"));
    await kit("judge", packed(name));
    const { code, stderr } = await kit("judge", packed(name), "--write");
    expect([code, stderr]).toEqual([2, expect.stringContaining("is packed, and nothing is written into it")]);
    expect(await readFile(packed(name))).toEqual(before);
    expect(await readdir(join(dir, "packed"))).toEqual(beside);
  });
});

describe("what lies in an archive", () => {
  it("may be named by a path through it", async () => {
    const whole = await said("judge", run());
    expect(await said("judge", join(packed("two.zip"), "out/mailed"))).toBe(whole);
    const one = await said("judge", join(run(), "mailed-002.jsonl"));
    expect(await said("judge", join(packed("two.zip"), "out/mailed/mailed-002.jsonl"))).toBe(one);
    expect(await said("judge", packed("one.jsonl.gz"))).toBe(one);
  });
  it("may be traces that were packed each by itself, in a folder too", async () => {
    const folder = join(dir, "each");
    await mkdir(folder);
    for (const [name, text] of Object.entries(files))
      if (name.endsWith(".jsonl")) await writeFile(join(folder, `${name}.gz`), gzipSync(text));
    await writeFile(join(folder, "run.json"), files["run.json"] ?? "");
    expect(await said("judge", folder)).toBe(await said("judge", run()));
    const { code, stderr } = await kit("show", "mailed-001", "--traces", dir);
    expect([code, stderr]).toEqual([2, expect.stringContaining("there are several trials 'mailed-001'")]);
  });
  it.each([
    ["two.zip", "holds the traces of 2 folders: name one, for example"],
    ["two.zip/out/nowhere", "holds no traces in 'out/nowhere'"],
    ["absent.zip", "there is no '"],
  ])("is asked for where %s does not say which", async (name, sentence) => {
    const { code, stdout, stderr } = await kit("judge", packed(name));
    expect(stderr).toContain(sentence);
    expect([code, stdout, stderr.trimEnd().split("\n").length]).toEqual([2, "", 1]);
  });
});

describe("an id", () => {
  it.each([
    ["judge", ["mailed-002"]],
    ["judge", ["mailed"]],
    ["summary", ["mailed"]],
    ["show", ["mailed", "1"]],
    ["compare", ["mailed", "mailed"]],
  ])("is enough for %s (%j)", async (command, named) => {
    const folder = join(dir, "ids");
    await storeRun(join(folder, "mailed"), [
      duplicateTrial({ run: "mailed", trial: "mailed-001" }),
      harmlessTrial({ run: "mailed", trial: "mailed-002" }),
    ]);
    const { code, stderr } = await kit(command, ...named, "--traces", folder);
    expect([code, stderr.includes("there is no")]).toEqual([0, false]);
  });
});
