/**
 * What a host was observed to do where published sources leave it open. On the stand-in an observation other than
 * the documented choice fails its case: there nothing is open.
 */

import type { HostName } from "./bench-protocol.ts";
import type { Note } from "./cases/case.ts";
import { CHOICES, type Question } from "./uncertain-choices.ts";

export type Observation = { question: Question; observed: string; detail: string | null };

/** @param seen - Told of each observation. */
export function noteFor(host: HostName, seen: (observation: Observation) => void = () => undefined): Note {
  return (question, observed, detail) => {
    seen({ question, observed, detail: detail ?? null });
    const choice = CHOICES[question];
    if (host === "stand-in" && observed !== choice)
      throw new Error(`${question}: the stand-in is documented to choose '${choice}', and did '${observed}'`);
  };
}
