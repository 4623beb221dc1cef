import { hash } from "node:crypto";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { FURTHER_CASES } from "../../../src/reconcile/cases/further-traces.ts";
import { judge } from "../../../src/reconcile/index.ts";
import { parseTrace } from "../../../src/trace/file.ts";
import { DAMAGES } from "./damage.ts";
import { checkSet, goldenSets, writeSet } from "./golden-set.ts";
import { CASES_SET, takeCases } from "./take.ts";

const sha256 = (text: string) => hash("sha256", text, "hex");
const SOUND = (
  FURTHER_CASES["a whole trial at an appending destination"] as NonNullable<(typeof FURTHER_CASES)[string]>
)().toText(sha256);
const dir = mkdtempSync(join(tmpdir(), "golden-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("the golden traces", () => {
  it("hold the known cases, as they are built today", () => {
    const set = goldenSets().find((folder) => basename(folder) === CASES_SET);
    const stored = takeCases().map(({ name }) =>
      readFileSync(join(set ?? "", "taken", `${name}.jsonl`), "utf8"),
    );
    expect(stored).toEqual(takeCases().map(({ text }) => text));
  });

  it.each(goldenSets().map((set) => [basename(set), set]))(
    "%s have their expected verdicts, to the byte: 'npm run golden' shows what differs",
    (_name, set) => {
      expect(checkSet(set).differences).toEqual([]);
    },
  );
});

describe("a spoilt trace", () => {
  const codes = (text: string) => judge(parseTrace(text, sha256)).validity.reasons.map(({ code }) => code);

  it("was sound before", () => {
    expect(codes(SOUND)).toEqual([]);
  });

  const SEEN: Record<string, string> = {
    "deleted-line": "chain-broken",
    "canary-silent": "canary-silent",
    "flipped-field": "chain-broken",
    "effect-hidden": "ledger-books-broken",
    "broken-last-line": "line-unreadable",
    "end-missing": "end-missing",
    "reordered-lines": "chain-broken",
    "recorder-gap": "recorder-gap",
    "truncated-tail": "tail-missing",
    "attempt-invented": "ledger-books-broken",
    "doubled-line": "chain-broken",
    "successor-hidden": "reset-not-delivered",
    "header-contradicts": "header-contradicts-journal",
    "marker-unwritten": "marker-not-written",
    "no-json": "line-unreadable",
    "other-destination": "ledger-contradicts-spec",
    "bytes-lost": "record-invalid",
    "log-unread": "log-missing",
    empty: "empty-file",
  };

  it.each(Object.entries(DAMAGES))("%s is seen for what it is", (way, damage) => {
    const damaged = damage(SOUND.trimEnd().split("\n"));
    expect(damaged).not.toBeNull();
    expect(codes(damaged ?? "")).toContain(SEEN[way]);
  });
});

describe("a golden set", () => {
  const made = (name: string) => {
    const set = join(dir, name);
    writeSet(set, takeCases().slice(0, 4));
    return set;
  };

  it("is whole when it was just made, half of it spoilt", () => {
    const set = made("whole");
    expect(checkSet(set).differences).toEqual([]);
    const lines = readFileSync(join(set, "expected.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith('{"trace":"damaged/'))).toHaveLength(4);
    expect(lines).toHaveLength(8);
  });

  it("stores no spoilt trace: each is made anew, and is told from the others by its name", () => {
    const set = made("unstored");
    expect(readdirSync(set).toSorted()).toEqual(["expected.jsonl", "taken"]);
    expect(checkSet(set).judged).toEqual({ taken: 4, damaged: 4 });
    const path = join(set, "expected.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace("T01~deleted-line", "T01~reordered-lines"));
    const [difference, ...more] = checkSet(set).differences;
    expect(difference).toMatch(/^unstored\/damaged\/T01~reordered-lines\.jsonl: validity was /);
    expect(more).toEqual([]);
  });

  it("notices a spoilt trace of which no verdict is expected any more", () => {
    const set = made("unexpected");
    const path = join(set, "expected.jsonl");
    const [, ...kept] = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, kept.join("\n"));
    expect(checkSet(set).differences).toEqual([
      "unexpected/damaged/T01~deleted-line.jsonl: no verdict is expected of it",
    ]);
  });

  it("is the same, made again", () => {
    const text = (set: string) => readFileSync(join(set, "expected.jsonl"), "utf8");
    expect(text(made("again-a"))).toBe(text(made("again-b")));
  });

  it("shows which field of a verdict is another", () => {
    const set = made("other");
    const path = join(set, "expected.jsonl");
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace('"session":{"value":"restored"', '"session":{"value":"lost"'),
    );
    const [difference, ...more] = checkSet(set).differences;
    expect(difference).toMatch(
      /^other\/damaged\/T02~canary-silent\.jsonl: session was .*lost.*, is .*restored/,
    );
    expect(more).toEqual([]);
  });

  it("shows traces that are gone, and those of which nothing is expected", () => {
    const set = made("gone");
    rmSync(join(set, "taken", "T01.jsonl"));
    writeFileSync(join(set, "taken", "T99.jsonl"), SOUND);
    expect(checkSet(set).differences).toEqual([
      "gone/damaged/T01~deleted-line.jsonl: it can no longer be made",
      "gone/damaged/T99~effect-hidden.jsonl: no verdict is expected of it",
      "gone/taken/T01.jsonl: the trace is gone",
      "gone/taken/T99.jsonl: no verdict is expected of it",
    ]);
  });

  it("shows a trace that was touched, and expected verdicts that were", () => {
    const set = made("touched");
    appendFileSync(join(set, "taken", "T01.jsonl"), "\n");
    expect(checkSet(set).differences).toHaveLength(1);
    rmSync(join(set, "expected.jsonl"));
    expect(checkSet(set).differences).toEqual(["touched: there is no expected.jsonl"]);
  });
});
