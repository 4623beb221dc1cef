/** What the kit adds to the bindings of a user's Worker, each under a name that begins with `KIT_`. */
import type { SubjectEnv } from "../subject/subject-env.ts";

export type OwnEnv = {
  readonly KIT_LEDGER: Fetcher;
  readonly KIT_CONTROLLER: Fetcher;
  readonly KIT_WITNESS: DurableObjectNamespace;
  readonly KIT_SECRET?: string;
  readonly KIT_BUILD?: string;
};

/** The same under the names by which the kit's own subjects know them. */
export function linksOf({
  KIT_LEDGER,
  KIT_SECRET,
  KIT_BUILD,
}: OwnEnv): Pick<SubjectEnv, "LEDGER" | "KIT_SECRET" | "KIT_BUILD"> {
  return {
    LEDGER: KIT_LEDGER,
    ...(KIT_SECRET === undefined ? {} : { KIT_SECRET }),
    ...(KIT_BUILD === undefined ? {} : { KIT_BUILD }),
  };
}

/** Her own bindings: what her classes are constructed with. */
export function withoutKit(env: object): object {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("KIT_")));
}
