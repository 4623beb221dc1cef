/** Why a trial ended. Thrown by a phase that cannot go on, so that the later phases do not run. */
import type { EndRequest } from "../trace/protocol/ledger-protocol.ts";

export class TrialEnd extends Error {
  readonly reason: EndRequest["reason"];
  readonly detail: string | null;

  constructor(reason: EndRequest["reason"], detail: string | null) {
    super(detail ?? reason);
    this.name = "TrialEnd";
    this.reason = reason;
    this.detail = detail === null ? null : detail.slice(0, 4_000);
  }
}
