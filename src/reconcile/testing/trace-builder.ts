/**
 * Builds traces for tests: a spec, an environment, records in order. It writes down what it is told and checks nothing,
 * so that a test can build a trace that is wrong. Not used outside tests.
 *
 * The hash function is passed in when a file is wanted; a `ParsedTrace` needs none.
 */
import { GENESIS, type HashText } from "../../trace/chain.ts";
import { type ParsedTrace, TRACE_SCHEMA, type TraceHeader } from "../../trace/file.ts";
import { afterSyncMsOf } from "../../trace/heartbeats.ts";
import { POINTS } from "../../trace/points.ts";
import type { JournalRecord, LogEvent, RecordDraft, RecordType } from "../../trace/records.ts";
import type { Environment, TrialSpec } from "../../trace/spec.ts";
import { buildEnvironment, buildFactors, buildSpec, ZERO_SHA } from "./spec-builder.ts";

type R<T extends RecordType> = JournalRecord<T>;
/** The fields of a record type, without those that the ledger adds. */
type Fields<T extends RecordType> = Omit<R<T>, "seq" | "at" | "prev" | "type" | "source">;

export { buildEnvironment, buildFactors, buildSpec, ZERO_SHA };

/** One log event in short: `ev(4, "session.tool.called", "c1")`. */
export function ev(seq: number, type: string, call?: string): LogEvent {
  return call === undefined ? { seq, type } : { seq, type, call };
}

/** Events numbered from 0: `[["session.tool.called", "c1"], ["session.step.ended"]]`. */
export function logOf(...events: readonly (readonly [type: string, call?: string])[]): LogEvent[] {
  return events.map(([type, call], seq) => ev(seq, type, call));
}

/** Appends records as a ledger would number them, 10 ms apart unless told otherwise. */
export class TraceBuilder {
  readonly spec: TrialSpec;
  readonly environment: Environment;
  readonly records: JournalRecord[] = [];
  #at = 1_000;

  constructor(spec: TrialSpec = buildSpec(), environment: Environment = buildEnvironment()) {
    this.spec = spec;
    this.environment = environment;
    this.add("trial.started", { spec, environment });
  }

  /** Lets time pass on the ledger's clock. */
  wait(ms: number): this {
    this.#at += ms;
    return this;
  }

  add<T extends RecordType>(type: T, fields: Fields<T>): this {
    this.#at += 10;
    const envelope = {
      seq: this.records.length + 1,
      at: this.#at,
      source: sourceOf(type),
      prev: GENESIS,
      type,
    };
    this.records.push({ ...envelope, ...fields } as unknown as JournalRecord);
    return this;
  }

  phase(phase: Fields<"phase.entered">["phase"]): this {
    return this.add("phase.entered", { phase });
  }

  /** An activation; generation n of object `o1` in isolate `i1`, marker kept, unless told otherwise. */
  activated(activation: string, fields: Partial<Fields<"subject.activated">> & { generation: number }): this {
    return this.add("subject.activated", {
      activation,
      isolate: "i1",
      cause: "fetch",
      marker: fields.generation === 1 ? null : this.spec.marker,
      object: "o1",
      version: { id: "", tag: "" },
      host: { kind: this.spec.factors.host, name: "opencode-stand-in", version: "0" },
      subjectAt: this.#at,
      late: false,
      ...fields,
    });
  }

  /** Everything before the point: ledger, first activation, marker, canary, first submission. */
  begin(activation = "A1", fields: Partial<Fields<"subject.activated">> = {}): this {
    const { destination, point } = this.spec.factors;
    const place = POINTS[point].held;
    const held = place === null ? [] : [place];
    return this.phase("prepare")
      .add("ledger.configured", { destination, holds: held.map((one) => ({ point: one, occurrence: 1 })) })
      .activated(activation, { generation: 1, ...fields })
      .add("marker.written", { marker: this.spec.marker, activation })
      .add("canary.armed", { delayMs: 1_000, canaryAt: this.#at })
      .phase("submit")
      .submitted("first", true);
  }

  submitted(
    purpose: "first" | "again" | "new-id",
    accepted: boolean | null,
    operationId = this.spec.operationId,
  ): this {
    return this.add("operation.submitted", {
      operationId,
      session: "ses_root",
      purpose,
      accepted,
      error: null,
    });
  }

  /** A model request; ordinal and call are the same unless told otherwise. */
  request(call: number, activation: string | null, fields: Partial<Fields<"model.requested">> = {}): this {
    return this.add("model.requested", {
      call,
      purpose: "turn",
      ordinal: call,
      activation,
      session: "ses_root",
      messages: call,
      results: [],
      restartNotice: false,
      tokens: 10,
      ...fields,
    });
  }

  /** A model request and its answer, which asks for `calls` or, when there are none, ends the turn. */
  turn(
    call: number,
    activation: string | null,
    calls: readonly string[],
    fields: Partial<Fields<"model.requested">> = {},
  ): this {
    this.request(call, activation, fields);
    return this.add("model.answered", {
      call,
      purpose: fields.purpose ?? "turn",
      finish: calls.length > 0 ? "tool-calls" : "stop",
      toolCalls: calls.map((id) => ({ call: id, tool: "ledger_act", action: "ticket", key: null })),
      text: "",
      tokens: { input: 10, output: 5 },
    });
  }

  attempt(
    attempt: number,
    activation: string,
    call: string,
    fields: Partial<Fields<"attempt.received">> = {},
  ): this {
    return this.add("attempt.received", {
      attempt,
      action: "ticket",
      key: null,
      payloadSha256: ZERO_SHA,
      activation,
      generation: 1,
      session: "ses_root",
      message: `msg_${attempt}`,
      call,
      ...fields,
    });
  }

  /** Commits an attempt; effect `e<n>` has receipt `r-e<n>`. */
  commit(attempt: number, effect: string, fields: Partial<Fields<"effect.committed">> = {}): this {
    return this.add("effect.committed", {
      effect,
      attempt,
      action: "ticket",
      key: null,
      receipt: `r-${effect}`,
      ...fields,
    });
  }

  deduplicate(attempt: number, effect: string): this {
    return this.add("effect.deduplicated", { attempt, effect, receipt: `r-${effect}` });
  }

  reject(attempt: number, reason = "closed-before-commit"): this {
    return this.add("attempt.rejected", { attempt, reason });
  }

  withhold(attempt: number, effect: string): this {
    return this.add("receipt.withheld", { attempt, effect });
  }

  send(attempt: number, effect: string): this {
    return this.add("receipt.sent", { attempt, effect, receipt: `r-${effect}` });
  }

  /** The trial's own point is reached. */
  reach(attempt: number | null, call: number | null = null): this {
    const { point } = this.spec.factors;
    const place = POINTS[point].held;
    if (place === null) return this;
    this.phase("arrive").add("hold.reached", { hold: { point: place, occurrence: 1 }, attempt, call });
    return point === "after-sync" ? this.wait(afterSyncMsOf(this.spec)) : this;
  }

  /** The trial's own reset, requested and performed. `died` says that a process ended with it. */
  reset(activation: string, fields: { ordinal?: number; died?: boolean } = {}): this {
    const { ordinal = 1, died = false } = fields;
    const { reset } = this.spec.factors;
    return this.phase("reset")
      .add("reset.requested", { reset, ordinal, activation })
      .add("reset.performed", {
        reset,
        ordinal,
        mechanism: died ? "SIGKILL" : "ctx.abort()",
        error: null,
        process: died
          ? { pid: 100, exitCode: null, signal: "SIGKILL", nextPid: 101, trials: 1, cluster: "k1" }
          : null,
      });
  }

  quiet(): this {
    return this.phase("quiet").add("quiet.started", { quietMs: this.spec.factors.quietMs });
  }

  /** The canary fires and the quiet interval ends. */
  quietEnds(isolate = "i1"): this {
    return this.wait(this.spec.factors.quietMs).canaryFires(isolate).add("quiet.ended", {});
  }

  canaryFires(isolate = "i1"): this {
    return this.add("canary.fired", { canaryAt: this.#at, lateMs: 1, isolate });
  }

  reconnect(activation: string): this {
    return this.phase("reconnect").add("client.reconnected", { ok: true, activation, error: null });
  }

  /** The operation's outcome; `claim` is what its final text says. */
  settled(
    claim: "committed" | "unknown" | "not-committed" | "none",
    fields: Partial<Fields<"operation.settled">> = {},
  ): this {
    return this.add("operation.settled", {
      operationId: this.spec.operationId,
      session: "ses_root",
      status: "done",
      reason: null,
      text: claim,
      claim: { claim, receipt: null },
      ...fields,
    });
  }

  probe(accepted = true): this {
    const probe = { operationId: this.spec.probeId, session: "ses_root" };
    return this.add("probe.submitted", { ...probe, accepted, error: null }).add("probe.settled", {
      ...probe,
      status: "done",
      reason: null,
      text: "ok",
    });
  }

  log(events: readonly LogEvent[], fields: Partial<Fields<"snapshot.log">> = {}): this {
    return this.add("snapshot.log", {
      how: "object",
      when: "collect",
      session: "ses_root",
      offered: true,
      after: null,
      events: [...events],
      synced: events.at(-1)?.seq ?? null,
      gaps: [],
      duplicates: [],
      unreadable: 0,
      error: null,
      ...fields,
    });
  }

  jobs(fields: Partial<Fields<"snapshot.jobs">> = {}): this {
    return this.add("snapshot.jobs", {
      how: "object",
      when: "collect",
      jobs: [],
      alarmAt: null,
      claims: [],
      alarmUnknown: false,
      error: null,
      ...fields,
    });
  }

  /** The settle window, and everything that is read after it. */
  collect(events: readonly LogEvent[], how: "object" | "offline" = "object"): this {
    this.phase("settle").wait(this.spec.factors.settleMs).phase("collect");
    return this.log(events, { how })
      .add("snapshot.schema", {
        how,
        when: "collect",
        tables: [{ name: "event", rows: 1 }],
        indexes: [],
        error: null,
      })
      .add("snapshot.transcript", {
        how,
        when: "collect",
        session: "ses_root",
        messages: [{ id: "msg_1", type: "user" }],
        pending: [],
        error: null,
      });
  }

  end(fields: Partial<Fields<"trial.ended">> = {}): this {
    return this.add("trial.ended", {
      reason: "completed",
      detail: null,
      openAttempts: this.#openAttempts(),
      ...fields,
    });
  }

  /** What a reader of an undamaged file would have got. */
  toParsed(): ParsedTrace {
    return parsedFrom(this.records, this.spec, this.environment);
  }

  /** The trace file, chained with `hash`. */
  toText(hash: HashText): string {
    let prev = GENESIS;
    const lines = this.records.map((record) => {
      const line = JSON.stringify({ ...record, prev });
      prev = hash(line);
      return line;
    });
    const header = headerFor(this.spec, this.environment, lines.length, prev);
    return `${[JSON.stringify(header), ...lines].join("\n")}\n`;
  }

  #openAttempts(): number[] {
    const closed = new Set<number>();
    const received: number[] = [];
    for (const record of this.records) {
      if (record.type === "attempt.received") received.push(record.attempt);
      if (
        record.type === "effect.committed" ||
        record.type === "effect.deduplicated" ||
        record.type === "attempt.rejected"
      )
        closed.add(record.attempt);
    }
    return received.filter((attempt) => !closed.has(attempt));
  }
}

/** A parsed trace without problems around any list of records, whatever is wrong with it. */
export function parsedFrom(
  records: readonly JournalRecord[],
  spec: TrialSpec = buildSpec(),
  environment: Environment = buildEnvironment(),
): ParsedTrace {
  return { header: headerFor(spec, environment, records.length, GENESIS), records, problems: [] };
}

function headerFor(spec: TrialSpec, environment: Environment, records: number, head: string): TraceHeader {
  return { schema: TRACE_SCHEMA, trial: spec.trial, run: spec.run, records, head, spec, environment };
}

/** Who appends the type: the first of the sources that may. */
function sourceOf(type: RecordType): RecordDraft["source"] {
  if (type.startsWith("subject.") || type === "canary.fired") return "subject";
  if (type === "model.answered" || type === "model.refused") return "model";
  const ledger = ["ledger.", "model.requested", "attempt.", "effect.", "receipt.", "hold.", "entry."];
  return ledger.some((prefix) => type.startsWith(prefix)) ? "ledger" : "controller";
}
