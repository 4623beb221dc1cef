/** An upgrade between two table layouts of the stand-in, with real processes really killed: no registry is asked. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { UpgradeComparison } from "../src/summarize/upgrade-comparison.ts";
import { ofType } from "../src/trace/records.ts";
import { kit } from "./support/in-process.ts";

const CONDITION = "opencode/after-commit/kill/append/reissue";
const TIMEOUT_MS = 480_000;

let folder: string;
const ended = new Map<string, Awaited<ReturnType<typeof kit>>>();

// Beside each other: they mostly wait, for the object to wake by itself.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  const upgrade = async (run: string, from: string, to: string) => {
    const conditions = ["--condition", CONDITION, "--quiet-ms", "36000"];
    const named = ["--run-id", run, "--traces", folder, "--json"];
    ended.set(run, await kit("upgrade", "--from", from, "--to", to, ...conditions, ...named));
  };
  await Promise.all([
    upgrade("u", "stand-in-layout-1", "stand-in-layout-2"),
    upgrade("old", "stand-in-layout-unreadable", "stand-in-layout-1"),
  ]);
}, TIMEOUT_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

function comparisonOf(run: string): UpgradeComparison {
  return UpgradeComparison.parse(JSON.parse(ended.get(run)?.stdout ?? ""));
}

describe("an upgrade between two table layouts", () => {
  let comparison: UpgradeComparison;
  beforeAll(() => {
    comparison = comparisonOf("u");
  });

  it("is the same by itself and in flight, and not on the way back, where the old code finds no claim", () => {
    expect(comparison.answers).toEqual({ upgrade: "same", inFlight: "same", back: "differs" });
    expect(ended.get("u")?.code).toBe(1);
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

describe("an upgrade to code that cannot read what is stored", () => {
  it("is a crash loop that names the table, and no session lost", () => {
    const { answers, crashLoops, comparisons, refusals } = comparisonOf("old");
    expect(answers).toEqual({ upgrade: "same", inFlight: "unreadable", back: "unreadable" });
    expect(ended.get("old")?.code).toBe(1);
    const [loop, ...others] = crashLoops.inFlight;
    expect(others).toEqual([]);
    expect(loop?.condition).toBe(CONDITION);
    expect(loop?.crashes.attempts).toBeGreaterThanOrEqual(2);
    expect(loop?.crashes).toMatchObject({
      unreadable: "table session",
      lastError: expect.stringContaining('Cannot read the table "session"'),
    });
    expect(refusals.inFlight.join()).toContain('Cannot read the table "session"');
    const [condition] = comparisons.inFlight.conditions;
    expect(condition?.answers.session?.b).toEqual({ "intact-not-reactivated": 1 });
    expect(condition?.answers.stuck?.b).toEqual({ "crash-loop": 1 });
  });

  it("leaves trials that are valid, with the storage read from the files", () => {
    const { records } = readTrace(join(folder, "old", "old-001-in-flight.jsonl"));
    expect(ofType(records, "activation.failed").length).toBeGreaterThanOrEqual(2);
    const last = ofType(records, "snapshot.log").at(-1);
    expect(last).toMatchObject({ how: "offline", when: "collect", error: null });
    expect(last?.events.length).toBeGreaterThan(0);
  });
});

describe("a stored upgrade", () => {
  it("is compared again without a run, with the same result", async () => {
    const again = await kit("upgrade", "--stored", join(folder, "u"), "--json");
    expect(again.stdout).toBe(ended.get("u")?.stdout);
    expect(again.code).toBe(1);
  });

  it("is shown with what is known of it, and can be reported", async () => {
    const shown = await kit("upgrade", "--stored", join(folder, "u"));
    expect(shown.stdout).toContain("known: layout 1 looks for the claim");
    expect(shown.stdout).not.toContain("Stale:");
    const junit = join(folder, "u.xml");
    await kit("upgrade", "--stored", join(folder, "u"), "--reporter", `junit=${junit}`);
    expect(readFileSync(junit, "utf8")).toContain("way=in-flight");
  });

  it("has to be one of an upgrade", async () => {
    const ofNone = await kit("upgrade", "--stored", "traces/golden/cases/taken");
    expect(ofNone).toMatchObject({ code: 2 });
    expect(ofNone.stderr).toContain("no whole run of 'upgrade'");
  });

  it("has to be there", async () => {
    const nowhere = await kit("upgrade", "--stored", "no-such-run", "--traces", folder);
    expect(nowhere).toMatchObject({ code: 2 });
    expect(nowhere.stderr).toContain("there is no 'no-such-run'");
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

  it("needs conditions of an OpenCode server where a set names one", async () => {
    const pair = ["--from", "opencode-server-1.18.22", "--to", "opencode-server-1.18.33"];
    const refused = await kit("upgrade", ...pair, "--experiment", "recovery", "--dry-run");
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("no condition is left");
  });

  it("needs sets of the same kind of host", async () => {
    const mixed = await kit("upgrade", "--from", "stand-in-layout-2", "--to", "opencode-server-1.18.22");
    expect(mixed).toMatchObject({ code: 2 });
    expect(mixed.stderr).toContain("have no condition in common");
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
