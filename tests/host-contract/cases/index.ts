/** The whole suite, in the order in which a reader meets the rules. */
import type { Case } from "./case.ts";
import { clientCases } from "./client.ts";
import { endingCases } from "./endings.ts";
import { inboxCases } from "./inbox.ts";
import { logCases } from "./log.ts";
import { modelCases } from "./model.ts";
import { recoveryCases } from "./recovery.ts";
import { toolCases } from "./tools.ts";

export type { Case } from "./case.ts";

export const GROUPS: Record<string, readonly Case[]> = {
  "event log and transcript": logCases,
  tools: toolCases,
  inbox: inboxCases,
  endings: endingCases,
  recovery: recoveryCases,
  model: modelCases,
  client: clientCases,
};
