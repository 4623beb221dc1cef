/** The words that an answer may have, each with what it means: they become the schema and the page of verdicts. */
import { z } from "zod";

export function words<const W extends Readonly<Record<string, string>>>(meanings: W) {
  return z.enum(Object.keys(meanings) as (keyof W & string)[]).meta({ meanings });
}
