import { CanarySubject } from "./canary-subject.ts";

/**
 * Breaks the rule that work in progress has a wake: it sets no alarm, so nothing brings it back and nothing goes on.
 * To be convicted of being stuck.
 */
export class CanarySleeperSubject extends CanarySubject {
  protected canaryName(): string {
    return "canary-sleeper";
  }

  protected override async scheduleWake(): Promise<void> {}

  /** What a lost activation began stays where it is, even when somebody comes along with other work. */
  protected override goesOnWith(turn: { readonly activation: string }, activation: string): boolean {
    return turn.activation === activation;
  }
}
