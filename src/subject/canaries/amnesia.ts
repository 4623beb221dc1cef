import { CanarySubject } from "./canary-subject.ts";

/**
 * Breaks the rule that storage outlives its object: every activation starts from nothing. To be convicted of a lost
 * session and of an executor without state.
 */
export class CanaryAmnesiaSubject extends CanarySubject {
  protected canaryName(): string {
    return "canary-amnesia";
  }

  protected override async beforeActivation(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
