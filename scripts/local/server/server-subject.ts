/**
 * One trial on the server, as the subject protocol sees it: a session of its own, its marker in the identity file, its
 * operations as prompts. Answers what a server can answer and says of the rest that it is not offered.
 *
 * Leaves to others: HTTP and the server's life (server-slot.ts), the two APIs (old-api.ts, core-api.ts).
 */
import { setTimeout as delay } from "node:timers/promises";
import { LAYOUTS } from "../../../src/harnesses/index.ts";
import {
  asNumber,
  asObject,
  inspectJobs,
  inspectSchema,
  notBegun,
  type Query,
  readOldInputs,
  readOldLog,
  readOldWatermark,
} from "../../../src/inspect/index.ts";
import { Refusal } from "../../../src/link/admission.ts";
import type { SubjectRequests } from "../../../src/subject/serve-request.ts";
import type { Subject } from "../../../src/trace/levels.ts";
import {
  IDLE_UNFINISHED,
  type JobsResponse,
  type LogResponse,
  NOT_FOUND,
  type OperationResult,
  type PrepareRequest,
  type PrepareResponse,
  type SchemaResponse,
  type SubmitRequest,
  type SubmitResponse,
  type TranscriptResponse,
  type WaitRequest,
  type WaitResponse,
} from "../../../src/trace/protocol/subject-protocol.ts";
import { sha256 } from "../files/copied-database.ts";
import type { IdentityFile, KeptTrial } from "./identity-file.ts";
import { newPromptId, type SessionApi } from "./session-api.ts";

const POLL_MS = 150;
/** A session between two steps, or one whose prompt was just taken, may look idle for a moment. */
const IDLE_MS = 1_500;
/** In the readable log; the event of number 0, the session's creation, is stored and not shown. */
const FIRST_SEQ = 1;

/** What a subject needs of the slot that it runs in. */
type SubjectSurroundings = {
  readonly identity: IdentityFile;
  readonly api: SessionApi;
  /** The activation that runs now. */
  readonly activation: () => { readonly id: string; readonly generation: number };
  /** Reads the server's database. */
  readonly stored: <T>(read: (query: Query) => T) => T;
  /** Tells the journal that this activation serves the trial. */
  readonly announce: (trial: string) => Promise<void>;
};

export class ServerSubject implements SubjectRequests {
  readonly #subject: Subject;
  readonly #trial: string;
  readonly #around: SubjectSurroundings;

  constructor(subject: Subject, trial: string, around: SubjectSurroundings) {
    this.#subject = subject;
    this.#trial = trial;
    this.#around = around;
  }

  /** The activation is announced before the marker is there, as it was when the server began to serve this trial. */
  async prepare({ marker, key }: PrepareRequest): Promise<PrepareResponse> {
    const { identity, api, activation, announce } = this.#around;
    const session = identity.trial(this.#trial)?.session ?? (await api.create());
    const known = identity.trial(this.#trial);
    if (known === undefined) {
      this.#keep({ subject: this.#subject, session, key, marker: null, prompts: {} });
      await announce(this.#trial);
    }
    this.#keep({ ...this.#kept(), key, marker });
    const { id, generation } = activation();
    return { activation: id, generation, session };
  }

  /** The same operation again is the same prompt again; what the server makes of it is its own affair. */
  async submit({ operationId, text }: SubmitRequest): Promise<SubmitResponse> {
    const { api } = this.#around;
    const { session, prompts } = this.#kept();
    const known = prompts[operationId]?.[0];
    const prompt = known ?? newPromptId();
    const accepted = known === undefined || !(await this.#knows(session, prompt));
    if (known === undefined) this.#addPrompt(operationId, prompt);
    await api.prompt(session, prompt, text);
    return this.#submitted(operationId, accepted);
  }

  async followUp({ operationId, text }: SubmitRequest): Promise<SubmitResponse> {
    const prompt = newPromptId();
    this.#addPrompt(operationId, prompt);
    await this.#around.api.prompt(this.#kept().session, prompt, text);
    return this.#submitted(operationId, true);
  }

  async wait({ operationId, timeoutMs }: WaitRequest): Promise<WaitResponse> {
    const { session, prompts } = this.#kept();
    const own = prompts[operationId];
    const unanswered = (reason: string): WaitResponse => ({
      settled: true,
      result: { operationId, session, status: "unanswered", reason, text: null },
    });
    if (own === undefined) return unanswered(`${NOT_FOUND}: no prompt of this operation was ever sent`);
    const began = performance.now();
    let idleSince: number | null = null;
    for (;;) {
      const state = await this.#around.api.state(session, own);
      const now = performance.now();
      if (state.kind === "answered") return { settled: true, result: done(operationId, session, state.text) };
      if (state.kind === "failed") return unanswered(state.reason);
      idleSince = state.kind === "idle" ? (idleSince ?? now) : null;
      if (idleSince !== null && now - idleSince >= IDLE_MS)
        return unanswered(
          `${IDLE_UNFINISHED}: the server works on nothing in this session, and the prompt has no answer`,
        );
      if (now - began >= timeoutMs) return { settled: false, waitedMs: timeoutMs };
      await delay(Math.min(POLL_MS, timeoutMs));
    }
  }

  /**
   * What the API shows of the log, and from the database how far it goes. A version that keeps a log and does not show it
   * is read from the database alone, so that what becomes of the log is seen and not taken from silence.
   */
  async log(after: number | null): Promise<LogResponse> {
    const { session } = this.#kept();
    const { api, stored } = this.#around;
    if (!api.keepsLog) return { offered: false, session, items: [], complete: true };
    // First how far it goes: what is written while it is read may be there, and need not.
    const mark = stored((query) => readOldWatermark(query, session));
    const shown = await api.log(session, after);
    const items = shown?.items ?? this.#storedLog(session, after ?? FIRST_SEQ - 1);
    return { offered: true, session, items: [...items, ...mark.items], first: FIRST_SEQ, complete: true };
  }

  async transcript(): Promise<TranscriptResponse> {
    const { session, prompts } = this.#kept();
    const messages = await this.#around.api.messages(session);
    const inputs = this.#around.stored((query) => readOldInputs(query, session));
    return { session, messages, pending: notBegun(inputs, prompts) };
  }

  async schema(): Promise<SchemaResponse> {
    return this.#around.stored((query) => inspectSchema(query, sha256, { statements: true }));
  }

  /** A process has no alarm. That it has no jobs either is what its storage shows. */
  async jobs(): Promise<JobsResponse> {
    return {
      ...this.#around.stored((query) => inspectJobs(query, LAYOUTS, { now: Date.now() })),
      alarmAt: null,
    };
  }

  abort(): Promise<boolean> {
    return this.#around.api.interrupt(this.#kept().session);
  }

  reset(): Response {
    return new Refusal(
      "reset-not-offered",
      "a process is no object: it can be killed or restarted",
    ).toResponse();
  }

  /** @throws when the events cannot be read: that is no empty log. */
  #storedLog(session: string, after: number): unknown[] {
    const { items, error } = this.#around.stored((query) => readOldLog(query, session));
    if (error !== null) throw new Error(error);
    return items.filter((item) => {
      // What is no event is left for the inspector to count; the marker of the end is added by the caller.
      const event = asObject(item);
      if (event?.type === "log.synced") return false;
      const seq = asNumber(asObject(event?.durable)?.seq);
      return seq === null || seq > after;
    });
  }

  /** A prompt that was accepted and not begun is no message yet. */
  async #knows(session: string, prompt: string): Promise<boolean> {
    const { api, stored } = this.#around;
    return (
      stored((query) => readOldInputs(query, session)).some(({ id }) => id === prompt) ||
      (await api.knows(session, prompt))
    );
  }

  #submitted(operationId: string, accepted: boolean): SubmitResponse {
    return {
      operationId,
      session: this.#kept().session,
      accepted,
      activation: this.#around.activation().id,
    };
  }

  #addPrompt(operationId: string, prompt: string): void {
    const kept = this.#kept();
    const prompts = [...(kept.prompts[operationId] ?? []), prompt];
    this.#keep({ ...kept, prompts: { ...kept.prompts, [operationId]: prompts } });
  }

  #keep(kept: KeptTrial): void {
    this.#around.identity.keepTrial(this.#trial, kept);
  }

  #kept(): KeptTrial {
    const kept = this.#around.identity.trial(this.#trial);
    if (kept === undefined)
      throw new Error(`trial '${this.#trial}' is unknown here: its identity file is gone`);
    return kept;
  }
}

function done(operationId: string, session: string, text: string): OperationResult {
  return { operationId, session, status: "done", reason: null, text: text.slice(0, 20_000) };
}
