/**
 * What becomes of a request that a rule is for: an attempt or a look-up at the trial's ledger, whose answer is turned into the one
 * that the destination itself would give, or a question to the trial's model.
 *
 * Leaves to others: which rule it is (route-request.ts), holds, effects and uniqueness (the ledger).
 */
import { PeerError } from "../link/call.ts";
import { ACTIVATION_HEADER, SESSION_HEADER } from "../model/index.ts";
import { Action } from "../trace/ids.ts";
import type { RefusalCode } from "../trace/protocol/refusals.ts";
import { UNKNOWN } from "../trace/protocol/shell-protocol.ts";
import type { Attribution } from "./attribution.ts";
import { controllerPeer, type GateEnv, ledgerOf } from "./gate-env.ts";
import { fill, ledgerPayload, readKey, readValue, responseOf, type SeenRequest } from "./request-values.ts";
import type { Route } from "./route-request.ts";

type RouteOf<K extends Route["kind"]> = Extract<Route, { kind: K }>;
type Asked = { readonly env: GateEnv; readonly whose: Attribution; readonly seen: SeenRequest };

/** What the request says that it is about; null where it has no action that a trace can hold. */
async function subjectOf({ rule }: RouteOf<"attempt" | "look-up">, { whose, seen }: Asked) {
  const action = Action.safeParse(await readValue(rule.action, seen));
  if (!action.success) return null;
  const call = await readKey(rule.call, seen);
  const { activation, session } = whose;
  const key = await readKey(rule.key, seen);
  return { action: action.data, key, activation, session: session ?? UNKNOWN, call };
}

/**
 * An attempt. Null where the request has no action.
 *
 * @throws where the connection is to be lost: the receipt was withheld and given up, or nobody knows what was done.
 */
export async function attempt(route: RouteOf<"attempt">, asked: Asked): Promise<Response | null> {
  const { env, whose, seen } = asked;
  const { rule } = route;
  const about = await subjectOf(route, asked);
  if (about === null) return null;
  const named = { action: about.action, key: about.key };
  try {
    const receipt = await ledgerOf(env, whose.trial).attempt({
      ...about,
      generation: whose.generation,
      message: UNKNOWN,
      payload: await ledgerPayload(seen),
    });
    return responseOf(rule.receipt, { ...named, ...receipt }, seen);
  } catch (error) {
    if (isRefusal(error, "attempt-rejected")) return responseOf(rule.rejected, named, seen);
    throw error;
  }
}

/** A look-up. Null where the request has no action. */
export async function lookUp(route: RouteOf<"look-up">, asked: Asked): Promise<Response | null> {
  const { env, whose, seen } = asked;
  const { rule } = route;
  const about = await subjectOf(route, asked);
  if (about === null) return null;
  const { found, effects } = await ledgerOf(env, whose.trial).lookUp(about);
  const named = { action: about.action, key: about.key };
  const entries = effects.map((effect) => fill(rule.entry, { ...named, ...effect }, seen));
  const values = { ...named, entries, entry: entries[0] ?? null };
  return responseOf(found ? rule.found : (rule.missing ?? rule.found), values, seen);
}

/** A question to the trial's model, in the protocol of its client. What is answered is the model's business. */
export function askModel({ dialect }: RouteOf<"model">, { env, whose, seen }: Asked): Promise<Response> {
  const { fetch, base, secret } = controllerPeer(env);
  const { trial, activation, session } = whose;
  return fetch(`${base}/model/${trial}/v1/${dialect}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      ...(activation === null ? {} : { [ACTIVATION_HEADER]: activation }),
      ...(session === null ? {} : { [SESSION_HEADER]: session }),
    },
    body: seen.body,
  });
}

export function isRefusal(error: unknown, code: RefusalCode): boolean {
  return error instanceof PeerError && error.code === code;
}
