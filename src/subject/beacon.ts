import { LifecycleCapability } from "agents/lifecycle";
import type { Activation } from "./activation.ts";

/** Announces the activation before the harness starts: capabilities start in registration order. */
export class Beacon extends LifecycleCapability {
  readonly #activation: Activation;

  constructor(activation: Activation) {
    super("recovery-kit-beacon");
    this.#activation = activation;
  }

  override async onStart(): Promise<void> {
    await this.#activation.begin();
  }
}
