/** Whether a deployment's controller answers, in one word or the reason. */
import { z } from "zod";
import { call, PeerError } from "../../src/link/call.ts";
import type { DeployState } from "./deploy-state.ts";
import { controllerOf } from "./deployed-runtime.ts";

const WAIT_MS = 10_000;

export async function healthOf(state: DeployState, secret: string | null): Promise<string> {
  if (state.controllerUrl === null) return "not deployed";
  if (secret === null) return "its secret is missing here";
  try {
    const signal = AbortSignal.timeout(WAIT_MS);
    await call(controllerOf(state, secret), "GET", "/health", z.object({ ok: z.literal(true) }), { signal });
    return "answers";
  } catch (error) {
    if (error instanceof PeerError) return `refuses: ${error.code}`;
    return `does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}
