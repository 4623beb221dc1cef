/** One row of the crash matrix: bring an object to its crash, let it recover, and say what each side of it held. */

import type { BootState, Plan } from "../bench-protocol.ts";
import { type Lab, type OperationResult, type SubjectClient, shortType } from "../host-lab.ts";

export const NOTICE_AND_START = ["synthetic", "execution.started"];
export const ANSWER = ["step.started", "text.started", "text.ended", "step.streamed", "step.ended"];
export const CALL = [
  "step.started",
  "tool.input.started",
  "tool.input.ended",
  "tool.called",
  "step.streamed",
];
export const RESULT = ["tool.success", "step.ended"];
export const DONE = ["execution.succeeded"];

export const ADMITTED = ["created", "inbox.enqueued"];
export const DELIVERED = [...ADMITTED, "execution.started", "inbox.delivered"];
export const CALLED = [...DELIVERED, ...CALL.slice(0, -1)];

type Row = {
  subject: SubjectClient;
  /** What the second activation found. */
  boot: Omit<BootState, "events"> & { events: string[] };
  /** Events that were added after that. */
  added: string[];
  /** Model calls of the whole turn, the repeated one included. */
  modelCalls: number;
  effects: number;
  result: OperationResult;
};

/**
 * @param reach - Brings the object to the point; by default the plan's own crash point strikes.
 * @param modelCalls - How many calls the turn is expected to take: the row waits for them.
 */
export async function row(
  lab: Lab,
  plan: Plan,
  modelCalls: number,
  reach?: (subject: SubjectClient) => Promise<void>,
): Promise<Row> {
  const subject = await lab.subject(plan);
  await subject.submitIntoCrash("go", { operationId: "op" });
  await reach?.(subject);
  const result = await subject.recover("op", modelCalls);
  const bench = await subject.bench();
  const found = bench.boots[1];
  if (found === undefined) throw new Error("The object was not reset");
  const boot = { ...found, events: found.events.map(shortType) };
  return {
    subject,
    boot,
    added: (await subject.types()).slice(boot.events.length),
    modelCalls: bench.requests.length,
    effects: bench.effects.length,
    result,
  };
}

export const claimed = { claims: ["ses_root"], attempts: 0 };
export const unclaimed = { claims: [], attempts: 0 };
export const toolStates = (boot: Row["boot"]) =>
  boot.messages.flatMap((message) => {
    const content = message.type === "assistant" ? (message.data.content as { state?: unknown }[]) : [];
    return content.flatMap((part) => (part.state === undefined ? [] : [part.state]));
  });
