/** One real trial by the command line: what it leaves for CI and for whoever looks for a fault. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Report } from "../scripts/present/reporters/report.ts";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { type Ended, kit } from "./support/kit.ts";

const CONDITION = "opencode/none/none/append/reissue";

let dir: string;
let ended: Ended;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-real-run-"));
  const reporters = `github,json=${dir}/out.json,junit=${dir}/out.xml,markdown=${dir}/out.md`;
  const selected = ["--condition", CONDITION, "--quiet-ms", "0", "--allow-short-quiet"];
  ended = await kit(
    ...["run", "recovery", ...selected, "--traces", dir, "--run-id", "real", "--reporter", reporters],
  );
}, 120_000);
afterAll(() => rm(dir, { recursive: true, force: true }));

it("tells every reporter the same of a real run, and the text as well", async () => {
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`✓ ${CONDITION}`) });
  const report = Report.parse(JSON.parse(await readFile(join(dir, "out.json"), "utf8")));
  expect(report).toMatchObject({ name: "real", exitCode: 0, rows: [{ status: "pass" }], problems: [] });
  const xml = await readFile(join(dir, "out.xml"), "utf8");
  expect(xml).toContain('<testsuite name="real" tests="1" failures="0" errors="0">');
  expect(xml).toContain(CONDITION);
  expect(await readFile(join(dir, "out.md"), "utf8")).toContain(report.sentence);
  expect(ended.stderr).not.toContain("::error");
});

it("says before its first trial where its processes keep their storage, and its trace says the same", async () => {
  const [, where] = /^Storage: (in memory|on a disk)/m.exec(ended.stderr) ?? [];
  const { header } = await readTrace(join(dir, "real", "real-001.jsonl"));
  expect(header?.environment.storage).toBe(where === "in memory" ? "memory" : "disk");
  expect(ended.stderr.indexOf("Storage: ")).toBeLessThan(ended.stderr.indexOf("1 running"));
});

it("keeps what the Workers printed beside its trace", async () => {
  expect((await readdir(join(dir, "real"))).toSorted()).toEqual(
    expect.arrayContaining(["real-001.jsonl", "run.json", "verdicts.jsonl", "workers.log"]),
  );
});

it("leaves no request's secret in any file of the run", async () => {
  // 24 random bytes in hexadecimal; hashes of a trace are longer.
  for (const name of await readdir(join(dir, "real")))
    expect(await readFile(join(dir, "real", name), "utf8")).not.toMatch(
      /(?<![0-9a-f])[0-9a-f]{48}(?![0-9a-f])/,
    );
});
