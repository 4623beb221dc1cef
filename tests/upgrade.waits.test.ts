/** An upgrade between two table layouts of the stand-in, with real processes really killed: no registry is asked. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { UpgradeComparison } from "../src/summarize/upgrade-comparison.ts";
import { ofType } from "../src/trace/records.ts";
import { kit } from "./support/in-process.ts";

const CONDITION = "opencode/after-commit/kill/append/reissue";
const TIMEOUT_MS = 240_000;

describe("an upgrade between two table layouts", () => {
  let folder: string;
  let ended: Awaited<ReturnType<typeof kit>>;
  let comparison: UpgradeComparison;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
    ended = await kit(
      ...["upgrade", "--from", "stand-in-layout-1", "--to", "stand-in-layout-2"],
      ...["--condition", CONDITION, "--quiet-ms", "36000", "--run-id", "u", "--traces", folder, "--json"],
    );
    comparison = UpgradeComparison.parse(JSON.parse(ended.stdout));
  }, TIMEOUT_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is the same by itself and in flight, and not on the way back, where the old code finds no claim", () => {
    expect(comparison.answers).toEqual({ upgrade: "same", inFlight: "same", back: "differs" });
    expect(ended.code).toBe(1);
  });

  it("names what is stored otherwise", () => {
    const [change, ...others] = comparison.storage.upgrade;
    expect(others).toEqual([]);
    expect(change?.indexes.map(({ index, before, after }) => [index, before, after])).toEqual([
      ["opencode_session_v2_time_suspended_idx", "time_suspended, partial", null],
      ["opencode_session_v2_execution_claimed_at_idx", null, "execution_claimed_at, partial"],
    ]);
    expect(change?.columns.map(({ table, column }) => `${table}.${column}`)).toEqual([
      "opencode_session_v2.time_suspended",
      "opencode_session_v2.execution_claimed_at",
    ]);
    for (const { after, before } of change?.statements ?? []) expect(after ?? before).toMatch(/^CREATE /);
    expect(comparison.storage.inFlight).toEqual([]);
  });

  it("kills the process of the first set and is answered by the version and host of the second", () => {
    const { records, header } = readTrace(join(folder, "u", "u-001-in-flight.jsonl"));
    const [reset] = ofType(records, "reset.performed");
    expect(reset).toMatchObject({ reset: "upgrade", process: { signal: "SIGKILL" } });
    const hosts = ofType(records, "subject.activated").map(({ host }) => host.version);
    expect(new Set(hosts)).toEqual(new Set(["0.1.0", "0.1.0+layout-2"]));
    expect(header?.environment.set?.name).toBe("stand-in-layout-1");
    expect(header?.environment.nextSet?.name).toBe("stand-in-layout-2");
    expect(header?.environment.host.version).toBe("0.1.0");
  });
});

describe("what cannot be an upgrade", () => {
  it("needs two sets that are known", async () => {
    expect(await kit("upgrade", "--from", "current", "--to", "curent")).toMatchObject({ code: 2 });
    expect((await kit("upgrade", "--from", "current", "--to", "curent")).stderr).toContain(
      "there is no SDK set 'curent'",
    );
    expect((await kit("upgrade", "--from", "current", "--to", "current")).stderr).toContain("needs two sets");
    expect((await kit("upgrade")).stderr).toContain("--from and --to");
  });

  it("needs a package that a set may name, and a path that is there", async () => {
    expect((await kit("upgrade", "--from", "current", "--to", "vitest=1.0.0")).stderr).toContain(
      "package=version",
    );
    expect((await kit("upgrade", "--from", "current", "--to", "agents=./none.tgz")).stderr).toContain(
      "there is no './none.tgz'",
    );
  });

  it("lists the sets", async () => {
    const { stdout, code } = await kit("upgrade", "--list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^stand-in-layout-2 {2}installed/m);
  });
});
