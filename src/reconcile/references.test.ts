/** What the journal says of ids that a client used after a loss, and of two pieces of new work that were begun together. */
import { describe, expect, it } from "vitest";
import type { JournalRecord } from "../trace/records.ts";
import { judge } from "./judge.ts";
import { buildSpec } from "./testing/spec-builder.ts";
import { TraceBuilder } from "./testing/trace-builder.ts";

type Story = {
  /** The work that answers to the old id before there is new work, and after; null where it is rejected. */
  readonly old: readonly [string | null, string | null];
  /** The work that answers to the id of new work. */
  readonly fresh?: string;
  /** How many pieces of new work are begun together, and in how many executors that were started for them. */
  readonly works?: number;
  readonly starts?: number;
  readonly executor?: string | null;
};

/** An executor is lost after the answer; ids of its work are used afterwards. */
function told({ old, fresh = "new-1", works = 1, starts = 1, executor = "X2" }: Story) {
  const trace = new TraceBuilder(
    buildSpec({
      factors: {
        subject: "exec-server",
        host: "none",
        point: "after-answer",
        reset: "kill",
        target: "executor",
      },
      container: "process",
      references: true,
    }),
  )
    .begin()
    .add("executor.started", { executor: "X1", pid: 200, from: "image", because: null })
    .turn(1, "A1", ["call_1"], { messages: 2 })
    .attempt(1, "A1", "call_1", { executor: "X1" })
    .commit(1, "e1")
    .send(1, "e1")
    .turn(2, "A1", [], { messages: 4 })
    .settled("committed", { activation: "A1" });
  const given = new Map<string, number>();
  const begin = (moment: "before" | "after", work: string, reference: string, by: string | null) => {
    trace.add("work.begun", { moment, work, reference, executor: by, error: null, because: null });
    given.set(work, trace.toParsed().records.at(-1)?.seq ?? 0);
  };
  const use = (moment: JournalRecord<"reference.used">["moment"], of: string, work: string | null) =>
    trace.add("reference.used", {
      moment,
      reference: `id of ${of}`,
      work,
      error: work === null ? "unknown" : null,
      because: given.get(of) ?? null,
    });
  begin("before", "old", "id of old", "X1");
  trace
    .phase("reset")
    .add("reset.requested", { reset: "kill", ordinal: 1, activation: null })
    .add("executor.ended", {
      executor: "X1",
      pid: 200,
      exitCode: null,
      signal: "SIGKILL",
      cause: "reset",
      because: null,
    })
    .add("reset.performed", { reset: "kill", ordinal: 1, mechanism: "as asked", error: null, process: null })
    .quiet()
    .quietEnds()
    .reconnect("A1");
  use("before-new-work", "old", old[0]);
  trace.submitted("again", false).phase("probe").turn(3, "A1", [], { messages: 6 }).probe();
  for (let start = 1; start <= starts; start++)
    trace.add("executor.started", {
      executor: `X${start + 1}`,
      pid: 300 + start,
      from: "image",
      because: null,
    });
  for (let work = 1; work <= works; work++) begin("after", `new-${work}`, `id of new-${work}`, executor);
  use("after-new-work", "old", old[1]);
  use("after-new-work", "new-1", fresh);
  return judge(trace.phase("settle").wait(10).phase("collect").end().toParsed());
}

describe("an id of before the loss", () => {
  it.each([
    [{ old: [null, null] }, "rejected", "refused-throughout"],
    [{ old: [null, "new-1"] }, "aliased", "other-work-read"],
    [{ old: ["new-1", "new-1"] }, "aliased", "other-work-read"],
    [{ old: ["old", "old"] }, "kept", "same-work-read"],
    [{ old: ["old", null] }, "rejected", "lost-later"],
    [{ old: [null, null], works: 0 }, "rejected", "refused-unused"],
  ] as const)("of which %o is told: %s", (story, value, code) => {
    expect(told(story).references).toMatchObject({ value, code });
  });

  it("is as bad when it is one of new work and names another piece", () => {
    expect(told({ old: [null, null], works: 2, fresh: "new-2" }).references).toMatchObject({
      value: "aliased",
    });
  });

  it("that names other work is shown by both pieces of work and the use", () => {
    expect(told({ old: [null, "new-1"] }).references.evidence).toHaveLength(3);
  });
});

describe("new work of a client that rebinds", () => {
  it.each([
    [1, "one-start"],
    [2, "several-starts"],
  ] as const)("is begun twice at once, with %i starts: %s", (starts, value) => {
    const { singleFlight } = told({ old: [null, null], works: 2, starts });
    expect(singleFlight).toMatchObject({ value, answered: 2 });
  });

  it("of one caller is no test of a shared start", () => {
    expect(told({ old: [null, null] }).singleFlight.value).toBe("not-applicable");
  });

  it.each([
    ["X2", "replacement-without-state"],
    ["X1", "same"],
    [null, "indistinguishable"],
  ] as const)("is done by the executor that the subject names, %s: %s", (executor, value) => {
    expect(told({ old: [null, null], executor }).responseExecutor).toMatchObject({ value });
  });
});
