/** The whole suite, in the order in which a reader meets the rules. */
import type { Case } from "./case.ts";
import { clientCases } from "./client-cases.ts";
import { CRASH_MATRIX } from "./crash-matrix.ts";
import { endingCases } from "./ending-cases.ts";
import { checkCases } from "./expectations.ts";
import { inboxCases } from "./inbox-cases.ts";
import { logCases } from "./log-cases.ts";
import { modelCases } from "./model-cases.ts";
import { recoveryCases } from "./recovery-cases.ts";
import { toolCases } from "./tool-cases.ts";
import { uncertainCases } from "./uncertain-cases.ts";

export type { Case } from "./case.ts";

/** Rules that the published contract states. */
export const GROUPS: Record<string, readonly Case[]> = {
  "event log and transcript": logCases,
  tools: toolCases,
  inbox: inboxCases,
  endings: endingCases,
  recovery: recoveryCases,
  model: modelCases,
  client: clientCases,
  "further checks": checkCases,
};

/** What is only looked at. */
export const UNCERTAIN_CASES: readonly Case[] = uncertainCases;

/** Everything that a host is put through. */
export const SUITE: Record<string, readonly Case[]> = {
  ...GROUPS,
  "crash matrix": CRASH_MATRIX,
  "uncertain, only observed": UNCERTAIN_CASES,
};
