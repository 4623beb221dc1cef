/**
 * Real trials whose storage is read from its files: at the end of the quiet interval, before anything touches the object, and
 * at the end of a trial whose object never came back.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { isTouch } from "../src/reconcile/case-file.ts";
import { judge } from "../src/reconcile/index.ts";
import type { ParsedTrace } from "../src/trace/file.ts";
import { ofType } from "../src/trace/records.ts";
import { RUN_TIMEOUT_MS, runTrials } from "./support/run-trials.ts";

/** So short that no trial's object has looked after its work when the trial ends. */
const QUIET_MS = 1_000;

const NEVER = "opencode/after-commit/kill/append/reissue/reconnect=never";
const AFTER_QUIET = "opencode/after-commit/abort/append/reissue";
/** Of a subject that keeps no log. */
const CANARY = "canary-sleeper/after-commit/abort/append/reissue";

let trace: (condition: string) => ParsedTrace;
beforeAll(async () => {
  trace = await runTrials("recovery", [NEVER, AFTER_QUIET, CANARY], QUIET_MS);
}, RUN_TIMEOUT_MS);

const readingsOf = ({ records }: ParsedTrace, when: string) =>
  records.filter((record) => "how" in record && record.when === when).map(({ type }) => type);

describe("the end of the quiet interval", () => {
  it.each([NEVER, AFTER_QUIET, CANARY])(
    "of %s is read from files before anything touches the object",
    (name) => {
      const { records } = trace(name);
      const from = ofType(records, "quiet.started")[0]?.seq ?? 0;
      const [requested] = ofType(records, "reading.requested");
      const [owed] = ofType(records, "snapshot.jobs").filter(({ when }) => when === "quiet");
      const ended = ofType(records, "quiet.ended")[0]?.seq ?? 0;
      expect(requested).toMatchObject({ when: "quiet", because: from });
      expect(owed).toMatchObject({ how: "offline", error: null, alarmUnknown: false });
      const order = [from, requested?.seq ?? 0, owed?.seq ?? 0, ended];
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(records.filter((record) => record.seq > from && record.seq < ended && isTouch(record))).toEqual(
        [],
      );
    },
  );

  it("says what is owed first, and shows the session where there is one to read", () => {
    expect(readingsOf(trace(AFTER_QUIET), "quiet")).toEqual([
      "snapshot.jobs",
      "snapshot.log",
      "snapshot.transcript",
      "snapshot.schema",
    ]);
    expect(readingsOf(trace(CANARY), "quiet")).toEqual(["snapshot.jobs", "snapshot.schema"]);
  });
});

describe("an object that never came back", () => {
  it("is not woken by the last reading, which is made from its files", () => {
    const { records } = trace(NEVER);
    const loss = ofType(records, "reset.performed")[0]?.seq ?? 0;
    expect(records.filter((record) => record.seq > loss && isTouch(record))).toEqual([]);
    expect(ofType(records, "subject.activated").filter(({ seq }) => seq > loss)).toEqual([]);
    expect(ofType(records, "wait.expired")).toEqual([]);
    expect(readingsOf(trace(NEVER), "collect")).toEqual(readingsOf(trace(AFTER_QUIET), "quiet"));
    for (const type of ["snapshot.log", "snapshot.transcript", "snapshot.schema"] as const)
      expect(ofType(records, type).at(-1)).toMatchObject({ how: "offline", when: "collect", error: null });
  });

  it("is found intact in storage", () => {
    const verdict = judge(trace(NEVER));
    expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
    expect(verdict.session.value).toBe("intact-not-reactivated");
  });
});

it("a reading at the end begins with what is owed, since reading a session adds to it", () => {
  expect(readingsOf(trace(AFTER_QUIET), "collect").at(0)).toBe("snapshot.jobs");
});
