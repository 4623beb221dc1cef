import { CanarySubject } from "./canary-subject.ts";

/**
 * Breaks the rule that a tool result comes from the tool: it makes up a receipt and performs nothing. To be convicted
 * of a lost effect.
 */
export class CanaryClaimSubject extends CanarySubject {
  protected canaryName(): string {
    return "canary-claim";
  }

  protected override async runTool(): Promise<string> {
    return JSON.stringify({ attempt: 1, effect: "e1", receipt: "made-up", deduplicated: false });
  }
}
