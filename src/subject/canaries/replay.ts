import { CanarySubject, type ToolCall } from "./canary-subject.ts";

/**
 * Breaks the rule that a call is never run again: when it comes back with a call open, it performs it once more, same
 * call id, without asking the model. To be convicted of a duplicate by `runtime-replay`.
 */
export class CanaryReplaySubject extends CanarySubject {
  protected canaryName(): string {
    return "canary-replay";
  }

  protected override recoverCall(call: ToolCall): Promise<string> {
    return this.commitCall(call);
  }
}
