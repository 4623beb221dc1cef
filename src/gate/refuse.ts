/** What is not let out: an answer with a status of its own, and a record in the journal of its trial. */
import type { RecordDraft } from "../trace/records.ts";
import type { Attribution } from "./attribution.ts";
import { type GateEnv, ledgerOf } from "./gate-env.ts";

/** No server answers with it. */
export const REFUSED_STATUS = 599;

type Refused = Pick<RecordDraft<"request.refused">, "way" | "why"> & { readonly request: string };

/** One of no known trial is printed alone, and so stays in the Workers' log: there is no journal that it belongs to. */
export async function refuse(env: GateEnv, whose: Attribution | null, refused: Refused): Promise<Response> {
  const { way, why } = refused;
  const request = refused.request.slice(0, 2_000);
  const sentence =
    whose === null
      ? `The gate of the recovery kit let nothing out: ${request} is of no known trial.`
      : `The gate of the recovery kit let nothing out: ${request} (${why}).`;
  if (whose === null) console.error(`refused (${way}, not attributable): ${request}`);
  else
    await ledgerOf(env, whose.trial)
      .append(`request-refused:${crypto.randomUUID()}`, {
        source: "gate",
        type: "request.refused",
        ...{ way, request, why, activation: whose.activation, because: null },
      })
      .catch((error: unknown) => console.warn(`request.refused was not taken: ${String(error)}`));
  return new Response(sentence, { status: REFUSED_STATUS });
}

/** Without the query, which may hold what is nobody's business. */
export function shownRequest(method: string, url: string): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}
