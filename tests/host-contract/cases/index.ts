/** The whole suite, in the order in which a reader meets the rules. */
import type { Case } from "./case.ts";
import { checkCases } from "./checks.ts";
import { clientCases } from "./client.ts";
import { CRASH_MATRIX } from "./crash-matrix.ts";
import { endingCases } from "./endings.ts";
import { inboxCases } from "./inbox.ts";
import { logCases } from "./log.ts";
import { modelCases } from "./model.ts";
import { recoveryCases } from "./recovery.ts";
import { toolCases } from "./tools.ts";
import { uncertainCases } from "./uncertain.ts";

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
