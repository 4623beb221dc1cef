/** The journal as evidence: its order, its chain, its pages, and what a reader notices of damage. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GENESIS, JournalRecord, parseTrace, type RecordDraft } from "../../src/trace/index.ts";
import { phase, sha256, startedDraft, Trial } from "./support/ledger-client.ts";
import { type Lab, startLab } from "./support/ledger-lab.ts";
import { changeDatabase } from "./support/storage.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

describe("the chain", () => {
  it("links every stored line to the text of the line before it", async () => {
    const trial = await new Trial(lab, "chain").start();
    const key = "schlüssel \u2028 \ud800";
    await trial.attempt({ key });
    const lines = await trial.lines();
    expect(JSON.parse(lines[3]!)).toMatchObject({ type: "effect.committed", key });
    let prev = GENESIS;
    for (const [index, line] of lines.entries()) {
      const record = JournalRecord.parse(JSON.parse(line));
      expect(record).toMatchObject({ seq: index + 1, prev });
      expect(Object.keys(record).toSorted()).toEqual(Object.keys(JSON.parse(line)).toSorted());
      expect(Object.keys(JSON.parse(line)).slice(0, 5)).toEqual(["seq", "at", "source", "type", "prev"]);
      prev = sha256(line);
    }
    const { records, head } = await trial.status();
    expect({ records, head }).toEqual({ records: lines.length, head: prev });
  });

  it("makes an exported journal a trace without problems", async () => {
    const trial = await new Trial(lab, "export").start();
    await trial.attempt();
    await trial.end();
    const { records, problems } = parseTrace(await trial.trace(), sha256);
    expect(problems).toEqual([]);
    expect(records.map((record) => record.type)).toEqual(await trial.types());
  });

  it.each([
    ["deleted", (lines: string[]) => lines.toSpliced(4, 1)],
    [
      "changed",
      (lines: string[]) => lines.with(4, lines[4]!.replace('"action":"ticket"', '"action":"tickets"')),
    ],
    ["moved", (lines: string[]) => lines.toSpliced(4, 2, lines[5]!, lines[4]!)],
  ])("shows a line that was %s", async (what, damage) => {
    const trial = await new Trial(lab, `damage-${what}`).start();
    await trial.attempt();
    const lines = (await trial.trace()).slice(0, -1).split("\n");
    const damaged = damage(lines);
    expect(damaged).not.toEqual(lines);
    const { problems } = parseTrace(`${damaged.join("\n")}\n`, sha256);
    expect(problems.map((problem) => problem.code)).toContain("chain-broken");
  });

  it("does not let time go back when the clock does", async () => {
    const trial = await new Trial(lab, "clock").start();
    const future = Date.now() + 3_600_000;
    await lab.stop();
    changeDatabase(lab.folder, trial.name, `UPDATE journal SET at = ${future} WHERE seq = 2`);
    await lab.start();
    await trial.append("p", phase("prepare"));
    expect((await trial.records())[2]).toMatchObject({ type: "phase.entered", at: future });
  });
});

describe("appends", () => {
  it("begin with trial.started, which the ledger answers with its configuration", async () => {
    const trial = new Trial(lab, "first");
    await trial.configure({ destination: "unique", holds: [{ point: "after-commit", occurrence: 1 }] });
    expect(await trial.append("start", startedDraft(trial.name))).toEqual({ seq: 1, repeated: false });
    expect(await trial.records()).toMatchObject([
      { seq: 1, source: "controller", type: "trial.started" },
      {
        seq: 2,
        source: "ledger",
        type: "ledger.configured",
        destination: "unique",
        holds: [{ point: "after-commit", occurrence: 1 }],
      },
    ]);
  });

  it("record once for each id, also when the id comes again at the same moment or after the end", async () => {
    const trial = await new Trial(lab, "ids").start();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => trial.append("step-1", phase("prepare"))),
    );
    expect(answers.filter((answer) => !answer.repeated)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.seq))).toEqual(new Set([3]));
    expect(await trial.append("step-2", phase("prepare"))).toEqual({ seq: 4, repeated: false });
    await trial.end();
    const lines = await trial.lines();
    expect(await trial.append("step-1", phase("submit"))).toEqual({ seq: 3, repeated: true });
    expect(await trial.append("start", startedDraft(trial.name))).toEqual({ seq: 1, repeated: true });
    expect(await trial.lines()).toEqual(lines);
  });

  it("show in the status: phase, and a reset that is neither performed nor refused", async () => {
    const trial = await new Trial(lab, "status").start();
    expect(await trial.status()).toMatchObject({ phase: null, awaitingReset: null, ended: null });
    await trial.append("1", phase("prepare"));
    await trial.append("2", phase("quiet"));
    const requested: RecordDraft = {
      source: "controller",
      type: "reset.requested",
      reset: "kill",
      ordinal: 1,
      activation: null,
    };
    await trial.append("3", requested);
    expect(await trial.status()).toMatchObject({
      phase: "quiet",
      awaitingReset: { reset: "kill", ordinal: 1, seq: 5 },
    });
    await trial.append("4", {
      source: "cli",
      type: "reset.refused",
      reset: "kill",
      ordinal: 1,
      mechanism: "SIGKILL",
      error: "no such process",
    });
    expect(await trial.status()).toMatchObject({ awaitingReset: null });
    await trial.append("5", { ...requested, ordinal: 2 });
    expect(await trial.status()).toMatchObject({ awaitingReset: { reset: "kill", ordinal: 2, seq: 7 } });
  });

  it("show in the status: a reading of the files, until its last record is there", async () => {
    const trial = await new Trial(lab, "reading").start();
    const offline = { source: "cli", how: "offline", when: "quiet", error: null } as const;
    const seen = async () => (await trial.status()).awaitingReading;
    expect(await seen()).toBeNull();
    await trial.append("1", {
      source: "controller",
      type: "reading.requested",
      when: "quiet",
      because: null,
    });
    await trial.append("2", {
      ...offline,
      type: "snapshot.jobs",
      jobs: [],
      claims: [],
      alarmAt: null,
      alarmUnknown: false,
    });
    expect(await seen()).toBe("quiet");
    await trial.append("3", { ...offline, type: "snapshot.schema", tables: [], indexes: [] });
    expect(await seen()).toBeNull();
  });
});

describe("pages", () => {
  it("put together are the journal, byte for byte, and each names its length and head", async () => {
    const trial = await new Trial(lab, "pages").start();
    for (let index = 0; index < 21; index += 1) await trial.append(`p${index}`, phase("prepare"));
    const whole = await trial.lines();
    const pages: string[] = [];
    for (let after = 0; after < whole.length; after += 10) {
      const response = await trial.fetch("GET", `journal?after=${after}&limit=10`);
      expect(response.headers.get("content-type")).toContain("application/x-ndjson");
      expect(response.headers.get("x-journal-records")).toBe("23");
      expect(response.headers.get("x-journal-head")).toBe(sha256(whole.at(-1)!));
      pages.push(await response.text());
    }
    expect(pages.map((page) => page.split("\n").length - 1)).toEqual([10, 10, 3]);
    expect(pages.join("")).toBe(`${whole.join("\n")}\n`);
    expect(await trial.lines("?after=23")).toEqual([]);
    expect(await trial.lines("?after=999")).toEqual([]);
  });

  it("carry lines that are larger than what is read at once", async () => {
    const trial = await new Trial(lab, "large").start();
    const text = "ä".repeat(2_000);
    for (let index = 0; index < 4; index += 1)
      await trial.append(`t${index}`, {
        source: "controller",
        type: "snapshot.transcript",
        how: "object",
        when: "collect",
        session: "s1",
        messages: Array.from({ length: 200 }, (_, id) => ({ id: `m${id}`, type: "assistant", text })),
        pending: [],
        error: null,
      });
    const lines = await trial.lines();
    expect(lines).toHaveLength(6);
    expect(sha256(lines[5]!)).toBe((await trial.status()).head);
    expect(await trial.lines("?after=2&limit=2")).toEqual(lines.slice(2, 4));
  });
});
