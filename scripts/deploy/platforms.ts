/** The platforms by their kind. */
import type { DeployState } from "./deploy-state.ts";
import type { Deployment } from "./deployment.ts";
import { Network } from "./network.ts";
import type { Platform } from "./platform.ts";
import { Rehearsal } from "./rehearsal.ts";

export function platformOf(
  kind: DeployState["kind"],
  deployment: Deployment,
  { ports, secret }: { readonly ports: readonly number[] | null; readonly secret: string },
): Platform {
  return kind === "rehearsal"
    ? new Rehearsal(deployment, ports ?? [], secret)
    : new Network(deployment, secret);
}
