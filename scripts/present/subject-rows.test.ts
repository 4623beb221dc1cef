import { describe, expect, it } from "vitest";
import { duplicateTrial, harmlessTrial, invalidTrial, judgedRun } from "../stored/testing/stored-trials.ts";
import { PLAIN_PAGE } from "./page.ts";
import { SUBJECT_COLUMNS, subjectGroups } from "./subject-rows.ts";
import { subjectLines } from "./subject-table.ts";

type Builder = ReturnType<typeof duplicateTrial>;
let trials = 0;

/** A trial of `subject` under the levels; the subject's host is left as it is. */
function trialOf(make: typeof duplicateTrial, subject: string, levels: string): Builder {
  trials += 1;
  const builder = make({ trial: `run-1-t${trials}`, condition: `${subject}/${levels}` });
  Object.assign(builder.spec.factors, { subject });
  return builder;
}

const APPEND = "after-commit/abort/append/reissue";
const column = (rows: readonly (readonly string[])[], name: (typeof SUBJECT_COLUMNS)[number]) =>
  rows.map((row) => row[SUBJECT_COLUMNS.indexOf(name)]);

describe("subjects side by side", () => {
  it("are not shown of a run with one subject and its canaries", () => {
    const canary = duplicateTrial({ trial: "run-1-c", condition: `canary-replay/${APPEND}`, canary: true });
    Object.assign(canary.spec.factors, { subject: "canary-replay" });
    const run = judgedRun([trialOf(duplicateTrial, "opencode", APPEND), canary]);
    expect(subjectGroups(run)).toEqual([]);
    expect(subjectLines(run, PLAIN_PAGE)).toEqual([]);
  });

  it("have a row each, in the order of the levels, with what the verdicts say", () => {
    const [group, ...others] = subjectGroups(
      judgedRun([trialOf(harmlessTrial, "think", APPEND), trialOf(duplicateTrial, "opencode", APPEND)]),
    );
    expect(others).toEqual([]);
    expect(group?.levels).toBe("after-commit / abort / append / reissue");
    const rows = group?.rows ?? [];
    expect(column(rows, "subject")).toEqual(["opencode", "think"]);
    expect(column(rows, "effects")).toEqual(["2/1 duplicate", "1/1 ok"]);
    expect(column(rows, "repeat cause")).toEqual(["model-reissue", "model-reissue"]);
    expect(column(rows, "open call")).toEqual(["failed", "failed"]);
    expect(column(rows, "woke")).toEqual(["yes", "yes"]);
  });

  it("share a group where levels make no difference to any of them, with times as ranges", () => {
    const both = (levels: string) => [
      trialOf(duplicateTrial, "opencode", levels),
      trialOf(harmlessTrial, "think", levels),
    ];
    const groups = subjectGroups(
      judgedRun([
        ...both("after-commit/kill/append/reissue"),
        ...both("after-commit/abort/append/reissue"),
        trialOf(harmlessTrial, "opencode", "after-commit/abort/unique/reissue"),
        trialOf(harmlessTrial, "think", "after-commit/abort/unique/reissue"),
      ]),
    );
    expect(groups.map(({ levels }) => levels)).toEqual([
      "after-commit / abort, kill / append / reissue",
      "after-commit / abort / unique / reissue",
    ]);
    expect(column(groups[0]?.rows ?? [], "activated").join()).toMatch(/^\d+\.\d,\d+\.\d$/);
  });

  it("keep trials out that are not valid", () => {
    const run = judgedRun([
      trialOf(invalidTrial, "opencode", APPEND),
      trialOf(duplicateTrial, "think", APPEND),
      trialOf(duplicateTrial, "ai-sdk", APPEND),
    ]);
    expect(column(subjectGroups(run)[0]?.rows ?? [], "subject")).toEqual(["think", "ai-sdk"]);
  });

  it("are told apart by what they ran on: the stand-in host, or the real software alone", () => {
    const real = trialOf(duplicateTrial, "think", APPEND);
    for (const record of real.records)
      if (record.type === "subject.activated")
        Object.assign(record, { host: { ...record.host, kind: "none" } });
    Object.assign(real.spec.factors, { host: "none" });
    const lines = subjectLines(judgedRun([trialOf(duplicateTrial, "opencode", APPEND), real]), PLAIN_PAGE);
    expect(lines).toContain("On the stand-in host: opencode; think needed none.");
  });

  it("say which of them is a process that only the kit starts", () => {
    const server = trialOf(duplicateTrial, "opencode-server", APPEND);
    for (const record of server.records)
      if (record.type === "subject.activated")
        Object.assign(record, { host: { kind: "server", name: "opencode-ai", version: "1.18.33" } });
    Object.assign(server.spec.factors, { host: "server" });
    const lines = subjectLines(judgedRun([trialOf(duplicateTrial, "opencode", APPEND), server]), PLAIN_PAGE);
    expect(lines.join(" ")).toContain(
      "A process, which nothing but the kit can start: opencode-server (opencode-ai 1.18.33); their times",
    );
  });

  it("fit 100 columns", () => {
    const subjects = ["opencode", "think", "think-rerun", "ai-sdk"];
    const run = judgedRun(subjects.map((subject) => trialOf(duplicateTrial, subject, APPEND)));
    const lines = subjectLines(run, PLAIN_PAGE).join("\n").split("\n");
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(lines.join("\n")).toContain("think-rerun");
  });
});
