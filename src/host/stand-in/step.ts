/**
 * One step: one answer of the model and the tools it calls, with retries. Host contract, sections 8 (interrupt),
 * 9.5 and 10.1.
 */
import type { SessionError, Tokens } from "../types/messages.ts";
import { type ChatRequest, type ProviderEvent, streamChat } from "./chat-completions.ts";
import { routeOf } from "./config.ts";
import { sessionNotFound } from "./host-errors.ts";
import { type Speaker, speakerOf, stepRequest } from "./model-request.ts";
import { contentFiltered, ProviderError, type ProviderFailure } from "./provider-failure.ts";
import { decideRetry } from "./retry.ts";
import type { Host } from "./stand-in-host.ts";
import { StepPublisher } from "./step-publisher.ts";
import { ABORTED_TOOL, ToolCalls } from "./tool-calls.ts";
import { snapshot, type Toolset } from "./toolset.ts";

const CONTINUE_AFTER_BREAK =
  "The connection to the model broke in the middle of the answer above. Go on from there without repeating it.";

type StepInput = {
  readonly sessionID: string;
  readonly atLimit: boolean;
  readonly signal: AbortSignal;
};

type StepResult =
  | { kind: "ended"; calledTools: boolean; tokens: Tokens }
  | { kind: "failed"; error: SessionError }
  /** The request did not fit: nothing durable happened; compact and ask again. */
  | { kind: "overflow"; error: SessionError };

export async function runStep(host: Host, input: StepInput): Promise<StepResult> {
  const { internals, log, ids } = host;
  const { sessionID, signal } = input;
  let assistantMessageID = ids.next("msg");
  for (let retried = 0; ; retried++) {
    signal.throwIfAborted();
    const attempt = await runAttempt(host, input, assistantMessageID);
    if (attempt.kind === "ended") return attempt;
    const { failure, publisher } = attempt;
    if (failure.contextOverflow && !publisher.hasOutput) return { kind: "overflow", error: failure.error };
    const decision = decideRetry(failure, retried, internals.retry, internals.random);
    if (!decision.retry) {
      await publisher.failed(failure.error, attempt.finish);
      return { kind: "failed", error: failure.error };
    }
    if (publisher.hasOutput) {
      await publisher.failed(failure.error);
      await internals.sleep(decision.delayMs, signal);
      await log.publish("session.synthetic", { sessionID, text: CONTINUE_AFTER_BREAK });
      assistantMessageID = ids.next("msg");
    } else {
      await publisher.retrying(decision.attempt, internals.clock() + decision.delayMs, failure.error);
      await waitForRetry(host, publisher, decision.delayMs, signal);
    }
  }
}

async function waitForRetry(host: Host, publisher: StepPublisher, ms: number, signal: AbortSignal) {
  try {
    await host.internals.sleep(ms, signal);
  } catch (error) {
    if (!host.life.halted) await publisher.failed(INTERRUPTED_STEP);
    throw error;
  }
}

const INTERRUPTED_STEP: SessionError = { type: "aborted", message: "Step interrupted" };

type Attempt =
  | Extract<StepResult, { kind: "ended" }>
  | { kind: "broken"; failure: ProviderFailure; publisher: StepPublisher; finish?: "content-filter" };

async function runAttempt(host: Host, input: StepInput, assistantMessageID: string): Promise<Attempt> {
  const { sessionID, signal } = input;
  const speaker = speakerOf(host, sessionID);
  const { agent } = speaker;
  const model = speaker.model ?? { providerID: "", id: "" };
  const toolset = snapshot(host.plugins.tools(), host.config.permissions);
  const calls = new ToolCalls(
    host,
    { sessionID, assistantMessageID, agent },
    input.atLimit ? { offered: new Map(), hidden: new Set(toolset.offered.keys()) } : toolset,
    signal,
  );
  const publisher = new StepPublisher(host, { sessionID, assistantMessageID, agent, model }, calls);
  try {
    const finish = await consume(requestOf(host, input, speaker, toolset), publisher);
    if (finish.finish === "content-filter") {
      return { kind: "broken", failure: contentFiltered(), publisher, finish: "content-filter" };
    }
    await calls.settle();
    await publisher.ended(finish);
    return { kind: "ended", calledTools: publisher.hasCalls, tokens: finish.tokens };
  } catch (error) {
    // A halted host died here: it settles nothing.
    if (host.life.halted) throw error;
    if (error instanceof ProviderError && !signal.aborted) {
      await publisher.closePart();
      await calls.abort({ type: "tool.input-incomplete", message: "The tool's arguments were cut short" });
      return { kind: "broken", failure: error.failure, publisher };
    }
    await calls.abort(ABORTED_TOOL);
    if (publisher.started) await publisher.failed(INTERRUPTED_STEP);
    throw error;
  }
}

function requestOf(host: Host, input: StepInput, speaker: Speaker, toolset: Toolset): ChatRequest {
  const session = host.sessions.get(input.sessionID);
  if (session === undefined) throw sessionNotFound(input.sessionID);
  routeOf(host.config, speaker.model);
  return stepRequest(host, { session, speaker, toolset, atLimit: input.atLimit, signal: input.signal });
}

async function consume(request: ChatRequest, publisher: StepPublisher) {
  let finished: Extract<ProviderEvent, { type: "finished" }> | undefined;
  for await (const event of streamChat(request)) {
    if (event.type === "finished") finished = event;
    else await publisher.accept(event);
  }
  if (finished === undefined) throw new Error("A provider stream ended without finishing or failing");
  await publisher.streamed();
  return finished;
}
