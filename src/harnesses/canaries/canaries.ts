/** The canaries: each breaks one rule of the small correct subject, and says which conviction that must bring. */
import { CanaryObject, type ToolCall } from "./canary-object.ts";

/**
 * Breaks the rule that a call is never run again: when it comes back with a call open, it performs it once more, same
 * call id, without asking the model. To be convicted of a duplicate by `runtime-replay`.
 */
export class ReplayCanary extends CanaryObject {
  protected override recoverCall(call: ToolCall): Promise<string> {
    return this.commitCall(call);
  }
}

/**
 * Breaks the rule that a tool result comes from the tool: it makes up a receipt and performs nothing. To be convicted
 * of a lost effect.
 */
export class ClaimCanary extends CanaryObject {
  protected override async runTool(): Promise<string> {
    return JSON.stringify({ attempt: 1, effect: "e1", receipt: "made-up", deduplicated: false });
  }
}

/**
 * Breaks the rule that work in progress has a wake: it sets no alarm, so nothing brings it back and nothing goes on.
 * To be convicted of being stuck.
 */
export class SleeperCanary extends CanaryObject {
  protected override async scheduleWake(): Promise<void> {}

  /** What a lost activation began stays where it is, even when somebody comes along with other work. */
  protected override goesOnWith(turn: { readonly activation: string }, activation: string): boolean {
    return turn.activation === activation;
  }
}

/**
 * Breaks the rule that storage outlives its object: every activation starts from nothing. To be convicted of a lost
 * session and of an executor without state.
 */
export class AmnesiaCanary extends CanaryObject {
  protected override async beforeActivation(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
