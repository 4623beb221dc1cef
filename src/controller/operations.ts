/** Submitting operations to the subject and waiting for them, as records. */
import {
  followUpPrompt,
  markedProbePrompt,
  operationPrompt,
  parseClaim,
  probePrompt,
  taskPrompt,
} from "../model/index.ts";
import { drillTraits } from "../trace/drills.ts";
import { IDLE_UNFINISHED, WAIT_MS_MAX } from "../trace/protocol/subject-protocol.ts";
import type { Claim, RecordDraft } from "../trace/records.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { type Address, learnStatus } from "./job-record.ts";
import { errorText, type Recorder } from "./recorder.ts";

/** Hands in work for the operation to wait behind, where the trial wants it to. */
export async function submitAhead(recorder: Recorder): Promise<void> {
  if (recorder.spec.factors.point !== "queued") return;
  await recorder.act("ahead", async () => ({
    type: "ahead.submitted",
    ...(await submitted(recorder, { operationId: aheadId(recorder) }, probePrompt())),
    because: null,
  }));
}

/** Waits for that work once its client is back. */
export async function aheadSettled(recorder: Recorder): Promise<void> {
  if (recorder.spec.factors.point === "queued") await settled(recorder, "ahead", aheadId(recorder));
}

function aheadId({ spec }: Recorder): string {
  return `${spec.probeId}-ahead`;
}

/** Submits the operation under test: `first`, or `again` with the same id; in some drills twice at the same time. */
export async function submitOperation(
  recorder: Recorder,
  purpose: "first" | "again",
  address: Address = { operationId: recorder.spec.operationId },
): Promise<RecordDraft<"operation.submitted">> {
  const { drill } = recorder.spec.factors;
  const prompt = operationOf(recorder.spec);
  const isTwice = drill !== undefined && drillTraits(drill).asksTwice;
  const twin = Promise.withResolvers<Awaited<ReturnType<typeof submitted>>>();
  const draft = await recorder.act(`submit:${purpose}`, async () => {
    const both = await Promise.all(
      Array.from({ length: isTwice ? 2 : 1 }, () => submitted(recorder, address, prompt)),
    );
    // They are the same request: which of them came first, only the answers tell.
    const [one, other] = both.sort((a, b) => Number(b.accepted) - Number(a.accepted));
    if (one === undefined) throw new Error("nothing was submitted");
    if (other !== undefined) twin.resolve(other);
    return { type: "operation.submitted", ...one, purpose };
  });
  if (isTwice)
    await recorder.read(`submit:${purpose}:at-once`, async () => ({
      type: "operation.submitted",
      ...(await twin.promise),
      purpose: "at-once",
    }));
  if (draft.type !== "operation.submitted") throw new Error(`unexpected record ${draft.type}`);
  return draft;
}

/** The same prompt as an operation of its own: a client that lost the old one's id, or gave it up. */
export async function submitAnew(recorder: Recorder): Promise<void> {
  await recorder.act("submit:new-id", async () => ({
    type: "operation.submitted",
    ...(await submitted(recorder, { operationId: anewId(recorder) }, operationOf(recorder.spec))),
    purpose: "new-id",
  }));
}

export async function anewSettled(recorder: Recorder): Promise<void> {
  await operationSettled(recorder, "operation", 5, { operationId: anewId(recorder) });
}

function anewId({ spec }: Recorder): string {
  return `${spec.operationId}-anew`;
}

/** The first request of a client that comes back: a wait that asks for nothing and returns at once. True when it was answered. */
export async function touch(
  recorder: Recorder,
  name: string,
  { operationId, session }: Address = { operationId: recorder.spec.operationId },
): Promise<boolean> {
  const touched = await recorder.act(name, async () => {
    const error = await recorder.subject
      .wait(operationId, TOUCH_MS, session === undefined ? {} : { session })
      .then(() => null, errorText);
    const { activation, unsent } =
      error === null ? recorder.subject.served : { activation: null, unsent: null };
    return {
      source: "controller",
      type: "client.reconnected",
      ok: error === null,
      activation,
      error,
      requestsBefore: unsent,
    };
  });
  return touched.type === "client.reconnected" && touched.ok;
}

/** Asks an idle session to go on with the operation. */
export async function followUp(recorder: Recorder): Promise<void> {
  const { operationId } = recorder.spec;
  await recorder.act("follow-up", async () => {
    const base = { source: "controller", type: "operation.followed-up", operationId } as const;
    try {
      const { session } = await recorder.subject.followUp({ operationId, text: followUpPrompt() });
      return { ...base, session, error: null, activation: recorder.subject.served.activation };
    } catch (error) {
      return { ...base, session: "unknown", error: errorText(error) };
    }
  });
}

/**
 * Submits the later operation that shows whether the session takes new work, and waits for it; where the trial has two
 * callers, another one hands work of its own in at the same time.
 */
export async function probe(recorder: Recorder, session?: string): Promise<void> {
  const at = session === undefined ? {} : { session };
  recorder.enter("probe");
  // Before the submission: the model may have answered by the time that is recorded.
  const since = await recorder.flush();
  const rivalId = `${recorder.spec.probeId}-rival`;
  const rival =
    recorder.spec.factors.callers === undefined
      ? null
      : submitted(recorder, { operationId: rivalId, ...at }, probeOf(recorder.spec));
  await recorder.act("probe", async () => ({
    type: "probe.submitted",
    ...(await submitted(recorder, { operationId: recorder.spec.probeId, ...at }, probeOf(recorder.spec))),
  }));
  if (rival !== null)
    await recorder.act("rival", async () => ({
      type: "rival.submitted",
      ...(await rival),
      because: null,
    }));
  await operationAnswered(recorder, since);
  await operationSettled(recorder, "probe", 1, { operationId: recorder.spec.probeId, ...at });
  if (rival !== null) await settled(recorder, "rival", rivalId);
}

/** Waits for work beside the operation and the probe until it ends or the bound runs out, and writes one record of either. */
export async function settled(
  recorder: Recorder,
  what: "rival" | "session" | "ahead",
  operationId: string,
  session?: string,
): Promise<void> {
  await recorder.act(`${what}-settled:${operationId}`, async (): Promise<RecordDraft> => {
    let waitedMs = 0;
    for (;;) {
      const { end, why, failed } = await waitOnce(recorder, {
        what,
        operationId,
        timeoutMs: WAIT_MS_MAX,
        session,
      });
      if (end !== null) return { ...end, type: `${what}.settled`, because: null };
      if (!failed) waitedMs += WAIT_MS_MAX;
      if (failed || waitedMs >= recorder.spec.bounds.operationMs) return expired(why, waitedMs);
    }
  });
}

/** How long a wait may take that only touches the object, in ms. */
const TOUCH_MS = 1;
/** How long the model's answer is waited for before the harness is asked all the same, in ms. */
const ANSWER_MS = 3_000;
/** What a host needs from there to a settled operation on an idle machine, in ms. */
const SETTLING_MS = 60;

/**
 * Waits for the model's last answer to what was handed in after the record `since`. A harness that is asked too early looks again only after a
 * second; one that is asked when the answer is there says so at once. A matter of time alone: what the operation came to,
 * the harness is asked.
 */
export async function operationAnswered(recorder: Recorder, since: number): Promise<void> {
  const isLast = ({ purpose, finish }: { purpose: string; finish: string }) =>
    purpose === "turn" && finish === "stop";
  if ((await recorder.watch(["model.answered"], since, ANSWER_MS, isLast)) !== null)
    await recorder.pause(SETTLING_MS);
}

/** How a wait ended. `idle`: the harness says that there is no answer and nothing under way that could bring one. */
type WaitEnd = "settled" | "idle" | "expired";

/**
 * Asks the harness until the operation settles or the bound runs out; either way a record says which. `round` counts
 * the waits for the same operation.
 */
export async function operationSettled(
  recorder: Recorder,
  what: "operation" | "probe",
  round: number,
  { operationId, session }: Address = { operationId: recorder.spec.operationId },
): Promise<WaitEnd> {
  const { spec } = recorder;
  const slices = Math.max(1, Math.ceil(spec.bounds.operationMs / WAIT_MS_MAX));
  const timeoutMs = Math.min(WAIT_MS_MAX, spec.bounds.operationMs);
  for (let slice = 1; slice <= slices; slice++) {
    const observed = await recorder.act(
      `${what}-settled:${round}:${slice}`,
      async (): Promise<RecordDraft> => {
        const { end, why, claim } = await waitOnce(recorder, { what, operationId, timeoutMs, session });
        if (end === null) return expired(why, timeoutMs);
        return what === "operation"
          ? { ...end, type: "operation.settled", claim: claimIn(end.text, claim) }
          : { ...end, type: "probe.settled" };
      },
    );
    await learnStatus(recorder, observed);
    if (observed.type === "operation.settled" || observed.type === "probe.settled")
      return observed.reason?.startsWith(IDLE_UNFINISHED) === true ? "idle" : "settled";
  }
  return "expired";
}

type Waited = {
  readonly what: string;
  readonly operationId: string;
  readonly timeoutMs: number;
  /** Another one than the trial's own. */
  readonly session?: string | undefined;
};

/** Asks the harness once. `end`: how it ended; null, with what was waited for, where that is not known. */
async function waitOnce({ subject }: Recorder, { what, operationId, timeoutMs, session }: Waited) {
  const waitedFor = `${what} ${operationId}`;
  try {
    const answer = await subject.wait(operationId, timeoutMs, session === undefined ? {} : { session });
    if (!answer.settled) return { end: null, why: waitedFor, failed: false };
    const { session: of, status, reason, text, claim } = answer.result;
    const { activation } = subject.served;
    const end = { source: "controller", operationId, session: of, status, reason, text, activation } as const;
    return { end, why: waitedFor, failed: false, claim };
  } catch (error) {
    // A request that failed says nothing about the operation: it is a wait without an answer.
    return { end: null, why: `${waitedFor}: ${errorText(error)}`.slice(0, 2_000), failed: true };
  }
}

/** What the text says goes before what its being done says. */
function claimIn(text: string | null, told: Claim["claim"] | undefined): Claim {
  const read = parseClaim(text ?? "");
  return read.claim === "none" && told !== undefined ? { claim: told, receipt: null } : read;
}

function expired(waitedFor: string, boundMs: number): RecordDraft<"wait.expired"> {
  return { source: "controller", type: "wait.expired", waitedFor, boundMs };
}

async function submitted(recorder: Recorder, { operationId, ...at }: Address, text: string) {
  const base = { source: "controller", operationId } as const;
  try {
    const { session, accepted } = await recorder.subject.submit({ operationId, text, ...at });
    return { ...base, session, accepted, error: null, activation: recorder.subject.served.activation };
  } catch (error) {
    return { ...base, session: "unknown", accepted: null, error: errorText(error) };
  }
}

function operationOf(spec: TrialSpec): string {
  return spec.script === undefined
    ? operationPrompt(promised(spec))
    : taskPrompt(spec.script.prompt, spec.trial);
}

/** The prompt of new work that asks for no tool. */
function probeOf(spec: TrialSpec): string {
  return spec.script === undefined ? probePrompt() : markedProbePrompt(spec.trial);
}

/** The action that the prompt asks for, and its key where the scenario gives one. */
function promised(spec: TrialSpec) {
  const intended = spec.intended[0];
  if (intended === undefined) throw new Error("a trial intends at least one action");
  return { action: intended.action, key: spec.factors.key === "scenario" ? intended.key : null };
}
