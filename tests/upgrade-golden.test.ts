/** Upgrades that were run once, compared again from their golden traces: what the comparison finds, and what of it is known. */
import { describe, expect, it } from "vitest";
import { type KnownFinding, knownFindings } from "../experiments/known-findings.ts";
import { PLAIN_PAGE } from "../scripts/present/page.ts";
import { staleFindings, upgradePart } from "../scripts/present/upgrade-part.ts";
import { renderUpgrade } from "../scripts/present/upgrade-text.ts";
import { judgeFolder } from "../scripts/stored/judge-run.ts";
import { upgradeRunOf } from "../scripts/stored/stored-upgrade.ts";
import { compareUpgrade, findingsOf } from "../src/summarize/compare-upgrade.ts";
import { UpgradeComparison } from "../src/summarize/upgrade-comparison.ts";

const SERVERS = ["opencode-server-1.17.9", "opencode-server-1.18.33"] as const;
const OLDER_SERVERS = ["opencode-server-1.15.13", "opencode-server-1.18.33"] as const;
const LAYOUTS = ["stand-in-layout-1", "stand-in-layout-2"] as const;
const ACCEPTED = "opencode-server-shell/accepted/kill/append/reissue";

async function compared(from: string, to: string): Promise<UpgradeComparison> {
  const judged = await judgeFolder(`traces/golden/upgrade_${from}_${to}/taken`);
  const run = upgradeRunOf(judged);
  if (run === null) throw new Error(`the golden set of ${from} and ${to} is no run of an upgrade`);
  return UpgradeComparison.parse(compareUpgrade(run));
}

function textOf(comparison: UpgradeComparison, known: readonly KnownFinding[]): string {
  return renderUpgrade(upgradePart(comparison, known), comparison.run, PLAIN_PAGE);
}

describe("the upgrade of an OpenCode server from 1.17.9 to 1.18.33", async () => {
  const comparison = await compared(...SERVERS);

  it("loses the log and the accepted prompt in flight, and the way back is as the old code alone", () => {
    expect(comparison.answers).toEqual({ upgrade: "differs", inFlight: "differs", back: "same" });
    const lost = comparison.signs.inFlight.map(({ condition, finding }) => [condition, finding.code]);
    expect(lost).toEqual([
      [ACCEPTED, "known-operation-accepted-as-new"],
      [ACCEPTED, "log-differs-from-look"],
      [ACCEPTED, "log-cursor-aliased"],
    ]);
  });

  it("empties the tables of the core", () => {
    const emptied = new Map(
      comparison.storage.inFlight.map((one) => [one.subject, one.emptied.map(({ table }) => table)]),
    );
    expect(emptied.get("opencode-server-shell")).toEqual(["event", "event_sequence", "session_input"]);
    expect(emptied.get("opencode-server")).toContain("session_message");
  });

  it("differs in columns and migrations, of which the statements are told", () => {
    const shell = comparison.storage.upgrade.find(({ subject }) => subject === "opencode-server-shell");
    expect(shell?.columns.map(({ table, column }) => `${table}.${column}`)).toEqual([
      "session_context_epoch.agent",
      "session_context_epoch.replacement_seq",
      "session_context_epoch.revision",
    ]);
    expect(shell?.statements.map(({ name }) => name)).toEqual(["session_context_epoch"]);
    expect(shell?.migrations).toMatchObject([
      { table: "migration", before: { rows: 35 }, after: { rows: 38 } },
    ]);
  });

  it("is known, and says so", () => {
    const known = knownFindings(...SERVERS);
    expect(staleFindings(comparison, known)).toEqual([]);
    const text = textOf(comparison, known);
    expect(text).toContain("lost: the accepted prompt");
    expect(text).toContain("known: migration 20260622170816_reset_v2_session_state empties the tables");
    expect(text).toMatch(/no,\s+not with sessions\s+in\s+flight/);
  });
});

describe("the upgrade of an OpenCode server from 1.15.13 to 1.18.33", async () => {
  const comparison = await compared(...OLDER_SERVERS);

  it("answers sessions in flight as its own, has emptied a table, and leaves no way back", () => {
    expect(comparison.answers).toEqual({ upgrade: "same", inFlight: "differs", back: "unreadable" });
    expect(comparison.comparisons.inFlight.differs).toBe(false);
    expect(comparison.signs.inFlight).toEqual([]);
    const emptied = comparison.storage.inFlight.flatMap((one) => one.emptied.map(({ table }) => table));
    expect(emptied).toEqual(["session_message"]);
  });

  it("is a crash loop on the way back, with the session whole in the files", () => {
    const [loop, ...others] = comparison.crashLoops.back;
    expect(others).toEqual([]);
    expect(loop?.crashes).toMatchObject({ attempts: 3, unreadable: "table project" });
    const [condition] = comparison.comparisons.back.conditions;
    expect(condition?.answers.session?.b).toEqual({ "intact-not-reactivated": 1 });
  });

  it("says what is gone and what the old code said, and all of it is known", () => {
    const known = knownFindings(...OLDER_SERVERS);
    expect(staleFindings(comparison, known)).toEqual([]);
    const text = textOf(comparison, known);
    expect(text).not.toContain("not listed as known");
    expect(text).toMatch(/the code said: .*table `project` already\s+exists/);
    expect(text).toMatch(/rows\s+that\s+the\s+old\s+code\s+had\s+stored\s+are\s+gone/);
    expect(text).toContain("There is no way back");
  });
});

describe.each([
  ["opencode-server-1.18.22", "opencode-server-1.18.33", "host.version"],
  ["workerd-20261012", "workerd-20261117", "packages.workerd"],
  ["date-2026-09-30", "date-2026-11-01", "compatibilityDate"],
] as const)("the upgrade from %s to %s", async (from, to, other) => {
  const comparison = await compared(from, to);

  it("changes nothing, in flight and back, though the labels say that it was one", () => {
    expect(comparison.answers).toEqual({ upgrade: "same", inFlight: "same", back: "same" });
    expect(comparison.storage).toEqual({ upgrade: [], inFlight: [], back: [] });
    expect(comparison.environment.map(({ what }) => what)).toContain(other);
    expect(textOf(comparison, [])).toContain("yes, with sessions in flight");
  });
});

describe("a known finding", async () => {
  const comparison = await compared(...LAYOUTS);
  const [first] = knownFindings(...LAYOUTS);

  it("holds for its own pair of sets alone", () => {
    expect(first).toBeDefined();
    expect(knownFindings(LAYOUTS[1], LAYOUTS[0])).toEqual([]);
  });

  it("is stale where its condition was measured and does not differ so", () => {
    if (first === undefined) throw new Error("no finding is known of this pair");
    expect(staleFindings(comparison, [first])).toEqual([]);
    for (const stale of [
      { ...first, of: "inFlight" as const },
      { ...first, question: "session" },
      { ...first, condition: /^storage of opencode$/, question: "emptied opencode_event" },
    ]) {
      expect(staleFindings(comparison, [stale])).toEqual([stale]);
      expect(textOf(comparison, [stale])).toContain(`Stale: '${stale.question}'`);
    }
  });

  it("is not stale where its condition was not measured", () => {
    if (first === undefined) throw new Error("no finding is known of this pair");
    expect(staleFindings(comparison, [{ ...first, condition: /^think\// }])).toEqual([]);
  });

  it("is one that the comparison finds", () => {
    const found = findingsOf(comparison).filter(({ of }) => of === "back");
    expect(found.map(({ question }) => question)).toContain("execution");
  });
});

describe("an upgrade to a layout that cannot be read", async () => {
  const comparison = await compared("stand-in-layout-unreadable", "stand-in-layout-1");

  it("is a crash loop that names the table", () => {
    expect(comparison.answers).toEqual({ upgrade: "same", inFlight: "unreadable", back: "unreadable" });
    const text = textOf(comparison, []);
    expect(text).toMatch(
      /crash loop: 2 attempts, one of them by itself at most, the last with: Error: Cannot read/,
    );
    expect(text).toContain("schema failure: the code cannot read what the other one left");
  });
});
