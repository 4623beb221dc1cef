/**
 * Which rule a request falls under, in the order in which rules are looked at: what changes something, what looks it up, what
 * is the model's, what may really go out. Pure.
 */
import { z } from "zod";
import { DIALECT_PATHS, type DialectPath } from "../model/dialects/index.ts";
import type { DestinationRule, GateRules, LookUpRule } from "./gate-rules.ts";
import { matchRequest } from "./match-request.ts";

export type Route =
  | { readonly kind: "attempt"; readonly rule: DestinationRule; readonly stars: readonly string[] }
  | { readonly kind: "look-up"; readonly rule: LookUpRule; readonly stars: readonly string[] }
  | { readonly kind: "model"; readonly dialect: DialectPath }
  | { readonly kind: "allowed" }
  | { readonly kind: "refused"; readonly why: "no-rule" | "no-model-request" };

/** `body`: as text; it is looked at where the address alone does not tell that a request is the model's. */
export function routeRequest(rules: GateRules, method: string, url: string, body: string): Route {
  for (const rule of rules.destinations) {
    const stars = matchRequest(rule.match, method, url);
    if (stars !== null) return { kind: "attempt", rule, stars };
  }
  for (const rule of rules.lookUps) {
    const stars = matchRequest(rule.match, method, url);
    if (stars !== null) return { kind: "look-up", rule, stars };
  }
  const model = rules.model.find(({ match }) => matchRequest(match, method, url) !== null);
  if (model !== undefined) {
    const dialect = model.dialect ?? dialectOfPath(url);
    return dialect === null || !reads(dialect, body)
      ? { kind: "refused", why: "no-model-request" }
      : { kind: "model", dialect };
  }
  const dialect = dialectOfPath(url);
  // `/messages` is an ordinary path of an API, too.
  if (method.toUpperCase() === "POST" && dialect !== null && reads(dialect, body))
    return { kind: "model", dialect };
  if (isThisMachine(url) && rules.allow.some((match) => matchRequest(match, method, url) !== null))
    return { kind: "allowed" };
  return { kind: "refused", why: "no-rule" };
}

function dialectOfPath(url: string): DialectPath | null {
  const { pathname } = new URL(url);
  return DIALECT_PATHS.find((path) => pathname.endsWith(`/${path}`)) ?? null;
}

const Spoken = z.object({ model: z.string().min(1) });
const SHAPES = {
  "chat/completions": Spoken.extend({ messages: z.array(z.unknown()) }),
  responses: Spoken.extend({ input: z.union([z.string(), z.array(z.unknown())]) }),
  messages: Spoken.extend({ messages: z.array(z.unknown()) }),
} as const satisfies Record<DialectPath, z.ZodType>;

function reads(dialect: DialectPath, body: string): boolean {
  try {
    return SHAPES[dialect].safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

/** A star in a rule's port or host leads nowhere else. */
function isThisMachine(url: string): boolean {
  return new URL(url).hostname === "127.0.0.1";
}
