/**
 * Real trials on a real OpenCode server, end to end: both variants untouched, and killed in the acknowledgement gap. All
 * share one run.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { SERVER_PACKAGE, SERVER_VERSION } from "../../scripts/local/server/version.ts";
import { judge } from "../../src/reconcile/index.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { ofType } from "../../src/trace/records.ts";
import { runTrials } from "../support/run-trials.ts";

/** Nothing is known that would wake a server; long enough to see that nothing does. */
const QUIET_MS = 6_000;

const SUBJECTS = ["opencode-server", "opencode-server-shell"] as const;
const CONDITIONS = SUBJECTS.flatMap((subject) => [
  `${subject}/none/none/append/reissue`,
  `${subject}/after-commit/kill/append/reissue`,
  `${subject}/after-commit/kill/append/look-up`,
]);

let trace: (condition: string) => ParsedTrace;
beforeAll(async () => {
  trace = await runTrials("harnesses", CONDITIONS, QUIET_MS);
});

describe.each(SUBJECTS)("%s", (subject) => {
  const untouched = () => trace(`${subject}/none/none/append/reissue`);
  const killed = () => trace(`${subject}/after-commit/kill/append/reissue`);

  it("leaves whole traces of valid trials, run by that very server", () => {
    for (const parsed of [untouched(), killed()]) {
      expect(parsed.problems).toEqual([]);
      const verdict = judge(parsed);
      expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
      expect(verdict.host).toEqual({ kind: "server", name: SERVER_PACKAGE, version: SERVER_VERSION });
      expect(parsed.header?.environment.packages[SERVER_PACKAGE]).toBe(SERVER_VERSION);
    }
  });

  it("does what it is asked once when nothing happens to it, and says so", () => {
    const verdict = judge(untouched());
    expect(verdict.execution.value).toBe("not-interrupted");
    expect(verdict.operations).toMatchObject([{ attempts: 1, effects: 1, flags: ["ok"] }]);
  });

  it("has no alarm, and nothing in it owes one", () => {
    const { records } = killed();
    expect(ofType(records, "canary.not-offered")).toHaveLength(1);
    expect(ofType(records, "canary.armed")).toEqual([]);
    const jobs = ofType(records, "snapshot.jobs");
    expect(jobs.map(({ when }) => when)).toEqual(["look", "quiet", "collect"]);
    for (const { alarmAt, jobs: waiting, error } of jobs)
      expect([alarmAt, waiting, error]).toEqual([null, [], null]);
  });

  it("is killed for good and started by the kit, which is no waking by itself", () => {
    const { records } = killed();
    const [reset] = ofType(records, "reset.performed");
    expect(reset?.process).toMatchObject({ signal: "SIGKILL", exitCode: null });
    expect(reset?.process?.nextPid).not.toBe(reset?.process?.pid);
    const [before, after] = ofType(records, "subject.activated");
    expect([before?.cause, after?.cause]).toEqual(["process-start", "process-start"]);
    expect([before?.generation, after?.generation]).toEqual([1, 2]);
    expect([before?.marker, after?.marker]).toEqual([null, killed().header?.spec.marker]);
    expect(after?.object).toBe(before?.object);
    expect(judge(killed()).autonomous).toMatchObject({ value: "not-applicable", code: "started-by-kit" });
  });

  it("leaves the tool call running, and does nothing about it while nobody asks", () => {
    const { records } = killed();
    const quiet = ofType(records, "snapshot.transcript").find(({ when }) => when === "quiet");
    expect(quiet?.how).toBe("offline");
    expect(quiet?.messages.flatMap(({ tools }) => tools ?? [])).toMatchObject([{ status: "running" }]);
    const [from, to] = [ofType(records, "quiet.started")[0]?.seq, ofType(records, "quiet.ended")[0]?.seq];
    const meanwhile = records.filter(({ seq }) => seq > (from ?? 0) && seq < (to ?? 0));
    // Whoever reads the files is asked in the journal, and asks nothing of the server.
    const elsewhere = (record: (typeof records)[number]) =>
      record.type === "reading.requested" || ("how" in record && record.how === "offline");
    expect(meanwhile.filter((record) => !elsewhere(record))).toEqual([]);
    expect(ofType(records, "operation.settled")[0]?.reason).toMatch(/^idle_unfinished/);
  });

  it("goes on when it is asked again: then its model asks for the action a second time", () => {
    const verdict = judge(killed());
    expect(verdict.session.value).toBe("restored");
    expect(verdict.execution).toMatchObject({ value: "not-resumed", code: "only-when-asked-again" });
    expect(verdict.executor.value).toBe("replacement-with-state");
    // Until somebody asks, nothing would ever do what is owed.
    expect(verdict.stuck).toMatchObject({ value: "yes" });
    expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
    expect(verdict.repeats).toMatchObject([{ attempt: 2, cause: "model-reissue" }]);
    expect(verdict.rebinding).toMatchObject({
      identity: "same",
      oldWork: "interrupted",
      newWork: "admitted",
    });
  });

  it("leaves it to the model's policy whether there is a second effect", () => {
    const parsed = trace(`${subject}/after-commit/kill/append/look-up`);
    expect(judge(parsed).operations).toMatchObject([{ attempts: 1, effects: 1, flags: ["ok"] }]);
    expect(ofType(parsed.records, "entry.read")).toMatchObject([{ found: true }]);
  });

  it("names who makes an attempt as far as it is told, and makes nothing up", () => {
    const { records } = killed();
    const [first, second] = ofType(records, "attempt.received");
    const [before, after] = ofType(records, "subject.activated");
    expect([first?.activation, second?.activation]).toEqual([before?.activation, after?.activation]);
    expect([first?.generation, second?.generation]).toEqual([1, 2]);
    const asked = ofType(records, "model.answered").flatMap(({ toolCalls }) => toolCalls);
    expect([first?.call, second?.call]).toEqual(asked.map(({ call }) => call));
    expect(new Set([first?.session, second?.session])).toEqual(
      new Set(ofType(records, "operation.submitted").map(({ session }) => session)),
    );
    expect(first?.payloadSha256).toBe(second?.payloadSha256);
  });
});

describe("the two variants", () => {
  const killed = (subject: string) => trace(`${subject}/after-commit/kill/append/reissue`);

  it("differ in what a tool is told of its message", () => {
    const messages = (subject: string) =>
      ofType(killed(subject).records, "attempt.received").map(({ message }) => message);
    for (const message of messages("opencode-server")) expect(message).toMatch(/^msg_/);
    expect(messages("opencode-server-shell")).toEqual(["unknown", "unknown"]);
  });

  it("differ in how they come to go on: the same prompt again, or a further one", () => {
    const followUps = (subject: string) => ofType(killed(subject).records, "operation.followed-up").length;
    expect([followUps("opencode-server"), followUps("opencode-server-shell")]).toEqual([0, 1]);
  });

  it("differ in the log: one shows none, the other one that is whole across the kill", () => {
    const logs = (subject: string) => ofType(killed(subject).records, "snapshot.log");
    expect(logs("opencode-server").map(({ offered }) => offered)).toEqual([false, false]);
    const read = logs("opencode-server-shell");
    expect(read.map(({ when }) => when)).toEqual(["look", "quiet", "reconnect", "collect"]);
    const [look, quiet, further, collect] = read;
    expect(further?.after).toBe(look?.events.at(-1)?.seq);
    for (const log of [look, quiet, collect]) {
      expect(log?.synced).toBe(log?.events.at(-1)?.seq);
      expect(log?.gaps).toEqual([]);
    }
    // What is stored begins with the session's creation, which the server does not show.
    const [created, ...stored] = quiet?.events ?? [];
    expect(created?.type).toBe("session.created");
    expect(stored.slice(0, look?.events.length)).toEqual(look?.events);
    const ofCall = stored.filter(({ call }) => call !== undefined).map(({ type }) => type);
    expect(ofCall.at(-1)).toBe("session.next.tool.called");
    expect(collect?.events.slice(0, look?.events.length)).toEqual(look?.events);
  });

  it("differ in what becomes of the lost call: left running, or recorded as failed", () => {
    const [plugin, shell] = ["opencode-server", "opencode-server-shell"].map((subject) =>
      judge(killed(subject)),
    );
    expect(plugin?.openCalls).toHaveLength(1);
    expect(shell?.openCalls).toEqual([]);
    expect(shell?.callMismatches).toMatchObject([{ recorded: "failed", committed: true }]);
  });
});
