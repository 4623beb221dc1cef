/** One trial of a running ledger, as its HTTP clients see it. Every answer is parsed with the shared schemas. */
import { createHash } from "node:crypto";
import {
  Environment,
  type Hold,
  JournalRecord,
  type RecordDraft,
  type RecordType,
  TRACE_SCHEMA,
  TrialSpec,
} from "../../../src/trace/index.ts";
import {
  AppendResponse,
  AttemptResponse,
  AwaitResponse,
  LedgerConfig,
  LedgerStatus,
  LookUpResponse,
  ModelCallResponse,
} from "../../../src/trace/protocol/ledger-protocol.ts";
import { ErrorBody } from "../../../src/trace/protocol/refusals.ts";
import { type Lab, SECRET } from "./ledger-lab.ts";

export const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

export type Answer = { status: number; body: unknown };

/** An attempt's body as a subject sends it. */
export function attemptBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    action: "ticket",
    key: null,
    payload: "one ticket",
    activation: "a1",
    generation: 1,
    session: "s1",
    message: "m1",
    call: "c1",
    ...changes,
  };
}

export function modelCallBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    purpose: "turn",
    activation: "a1",
    session: "s1",
    messages: 1,
    results: [],
    restartNotice: false,
    tokens: 10,
    ...changes,
  };
}

export function config(changes: Partial<LedgerConfig> = {}): LedgerConfig {
  return LedgerConfig.parse({
    destination: "append",
    holds: [],
    heldAttempt: "dropped",
    policy: "reissue",
    key: "none",
    intended: [{ action: "ticket", key: null, effects: 1 }],
    ...changes,
  });
}

export class Trial {
  readonly name: string;
  readonly #lab: Lab;

  constructor(lab: Lab, name: string) {
    this.#lab = lab;
    this.name = name;
  }

  /** Configures the trial and appends `trial.started`. */
  async start(changes: Partial<LedgerConfig> = {}): Promise<this> {
    await this.configure(changes);
    await this.append("start", startedDraft(this.name));
    return this;
  }

  async configure(changes: Partial<LedgerConfig> = {}): Promise<LedgerStatus> {
    return LedgerStatus.parse(ok(await this.send("PUT", "", config(changes))));
  }

  async status(): Promise<LedgerStatus> {
    return LedgerStatus.parse(ok(await this.send("GET", "")));
  }

  async append(id: string, record: RecordDraft): Promise<AppendResponse> {
    return AppendResponse.parse(ok(await this.send("POST", "records", { id, record })));
  }

  async attempt(changes: Record<string, unknown> = {}): Promise<AttemptResponse> {
    return AttemptResponse.parse(ok(await this.send("POST", "attempts", attemptBody(changes))));
  }

  async lookUp(changes: Record<string, unknown> = {}): Promise<LookUpResponse> {
    const body = { action: "ticket", key: null, activation: "a1", session: "s1", call: "c9", ...changes };
    return LookUpResponse.parse(ok(await this.send("POST", "look-ups", body)));
  }

  async modelCall(changes: Record<string, unknown> = {}): Promise<ModelCallResponse> {
    return ModelCallResponse.parse(ok(await this.send("POST", "model-calls", modelCallBody(changes))));
  }

  async release(hold: Hold, how: "proceed" | "drop"): Promise<LedgerStatus> {
    return LedgerStatus.parse(ok(await this.send("POST", "releases", { hold, how })));
  }

  async end(): Promise<LedgerStatus> {
    return LedgerStatus.parse(
      ok(await this.send("POST", "end", { source: "controller", reason: "completed", detail: null })),
    );
  }

  /** The long-poll: the first such record after `after`. */
  async await(types: RecordType[], after = 0, timeoutMs = 20_000): Promise<AwaitResponse> {
    const query = `types=${types.join(",")}&after=${after}&timeoutMs=${timeoutMs}`;
    return AwaitResponse.parse(ok(await this.send("GET", `await?${query}`)));
  }

  /** Waits until a record of `type` that `matches` is in the journal. */
  async until(type: RecordType, count = 1): Promise<JournalRecord> {
    let after = 0;
    for (let seen = 0; ; ) {
      const { record } = await this.await([type], after);
      if (record === null) throw new Error(`no ${type} in time`);
      seen += 1;
      if (seen === count) return record;
      after = record.seq;
    }
  }

  /** The stored lines, as they were sent. */
  async lines(query = ""): Promise<string[]> {
    const response = await this.fetch("GET", `journal${query}`);
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    return text === "" ? [] : text.slice(0, -1).split("\n");
  }

  async records(): Promise<JournalRecord[]> {
    return (await this.lines()).map((line) => JournalRecord.parse(JSON.parse(line)));
  }

  async types(): Promise<RecordType[]> {
    return (await this.records()).map((record) => record.type);
  }

  /** The trace file of this trial: header and journal. */
  async trace(): Promise<string> {
    const lines = await this.lines();
    const header = {
      schema: TRACE_SCHEMA,
      trial: this.name,
      run: spec(this.name).run,
      records: lines.length,
      head: sha256(lines.at(-1) ?? ""),
      spec: spec(this.name),
      environment,
    };
    return `${[JSON.stringify(header), ...lines].join("\n")}\n`;
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await this.fetch(method, path, { body: text });
    return { status: response.status, body: await response.json() };
  }

  fetch(
    method: string,
    path: string,
    { body = null, authorization = `Bearer ${SECRET}`, signal }: FetchOptions = {},
  ): Promise<Response> {
    // One connection per request: a kept one may be closed by workerd just when it is used again. Not for a large body,
    // whose early refusal could not be read if the connection closed while it is still being sent.
    return fetch(this.address(path), {
      method,
      body,
      headers: {
        "content-type": "application/json",
        ...(body === null || body.length < SMALL_BODY ? { connection: "close" } : {}),
        ...(authorization === null ? {} : { authorization }),
      },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  address(path: string): URL {
    return new URL(`/trials/${this.name}${path === "" ? "" : `/${path}`}`, this.#lab.url);
  }
}

/** Bodies below this length are sent at once, in characters or bytes. */
const SMALL_BODY = 8_192;

type FetchOptions = {
  body?: string | Uint8Array<ArrayBuffer> | null;
  authorization?: string | null;
  signal?: AbortSignal;
};

/** The body of a 200, or an error that shows the refusal. */
export function ok({ status, body }: Answer): unknown {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** Status and code of a refusal. */
export function refusal({ status, body }: Answer): { status: number; code: string; message: string } {
  return { status, ...ErrorBody.parse(body).error };
}

export function spec(trial: string): TrialSpec {
  return TrialSpec.parse({
    trial,
    run: "run-1",
    experiment: "ledger-tests",
    condition: "after-commit/abort",
    repeat: 1,
    factors: {
      subject: "opencode",
      host: "stand-in",
      point: "after-commit",
      reset: "abort",
      resets: 1,
      destination: "append",
      heldAttempt: "dropped",
      policy: "reissue",
      key: "none",
      reconnect: "after-quiet",
      quietMs: 0,
      settleMs: 0,
    },
    intended: [{ action: "ticket", key: null, effects: 1 }],
    operationId: "op-1",
    probeId: "op-2",
    slot: "default",
    marker: "marker-1",
    canary: false,
    sabotage: "none",
    loadPerSecond: 0,
    bounds: { arriveMs: 1, resetMs: 1, operationMs: 1, canaryMs: 1 },
    seed: 1,
    resetDelayMs: 0,
    expect: null,
  });
}

export const environment: Environment = Environment.parse({
  mode: "local",
  packages: {},
  host: { kind: "stand-in", name: "stand-in", version: "1" },
  node: "24",
  platform: "linux",
  lockfileSha256: "0".repeat(64),
  commit: null,
  dirty: null,
  compatibilityDate: "2026-11-01",
  compatibilityFlags: [],
  bundles: {},
  model: { id: "scripted", settings: {} },
  commandLine: [],
  seed: 1,
  startedAt: "2026-01-01T00:00:00.000Z",
});

export function startedDraft(trial: string): RecordDraft {
  return { source: "controller", type: "trial.started", spec: spec(trial), environment };
}

export const phase = (name: "prepare" | "submit" | "quiet"): RecordDraft => ({
  source: "controller",
  type: "phase.entered",
  phase: name,
});
