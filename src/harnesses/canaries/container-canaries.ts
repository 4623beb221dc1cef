/** Canaries whose work is done in a container: each is the sound subject with one rule broken, and says what that must bring. */
import { ROOT_SESSION } from "agents/harness/container";
import type { Driver } from "../../subject/driver.ts";
import { ContainerObject, containerDriver } from "../container/container-driver.ts";
import { ExecServerObject } from "../exec-server/exec-server-driver.ts";
import type { IdForm } from "../exec-server/rebinding-client.ts";

/**
 * Breaks the rule that an executor is given what was declared: the next one has every file of the one before, also those that
 * nobody declared. To be convicted of hidden state.
 */
export class HoarderCanary extends ContainerObject {
  protected override adapter(): string {
    return "kit-agent-hoarder";
  }
}

/**
 * Breaks the rule that a job has one session: whoever hands the same operation in again gets another session that does it
 * again. To be convicted of a duplicate and of a record that was lost.
 */
export class SecondSessionCanary extends ContainerObject {
  /** The newest session of an operation. */
  async sessionOf(operationId: string): Promise<string> {
    return (await this.ctx.storage.get<string>(nameOf(operationId))) ?? ROOT_SESSION;
  }

  async beginSession(operationId: string): Promise<string> {
    const { id } = await this.harness.sessions.create();
    await this.ctx.storage.put(nameOf(operationId), id);
    return id;
  }
}

/**
 * Breaks the rule that an id names one piece of work for ever: its ids carry no generation, and each executor numbers its work
 * anew. To be convicted of aliased references.
 */
export class BareIdsCanary extends ExecServerObject {
  protected override idForm(): IdForm {
    return "bare";
  }
}

export const secondSessionDriver: Driver<SecondSessionCanary> = {
  ...containerDriver,
  async submit(canary, { operationId, text }) {
    const session = await canary.beginSession(operationId);
    return canary.harness.submit(text, { operationId, session });
  },
  async wait(canary, operationId, signal, session) {
    return canary.harness.wait(operationId, {
      signal,
      session: session ?? (await canary.sessionOf(operationId)),
    });
  },
};

function nameOf(operationId: string): string {
  return `session-of:${operationId}`;
}
