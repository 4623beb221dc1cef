/**
 * Model calls and tokens that the operation took. The later probe's calls are left out where they can be told apart:
 * the operation had settled before the probe was sent, so whatever came after is the probe's.
 */
import { z } from "zod";
import { Count } from "../trace/ids.ts";
import type { CaseFile } from "./case-file.ts";

export const Usage = z.strictObject({
  modelCalls: Count,
  titleCalls: Count,
  inputTokens: Count,
  outputTokens: Count,
});
export type Usage = z.infer<typeof Usage>;

export const NO_USAGE: Usage = { modelCalls: 0, titleCalls: 0, inputTokens: 0, outputTokens: 0 };

/** Null for an agent whose requests to its model are not recorded. */
export function measureUsage(file: CaseFile): { usage: Usage | null; probeMixedIn: boolean } {
  if (file.spec.agent !== undefined) return { usage: null, probeMixedIn: false };
  const { probe, probeFrom, settled } = file;
  const apart = probe !== null && settled !== null && settled.seq < probeFrom;
  const until = apart ? probeFrom : Number.POSITIVE_INFINITY;
  const requests = file.of("model.requested").filter(({ seq }) => seq < until);
  const calls = new Set(requests.map(({ call }) => call));
  const answers = file.of("model.answered").filter(({ call }) => calls.has(call));
  const usage = {
    modelCalls: requests.filter(({ purpose }) => purpose !== "title").length,
    titleCalls: requests.filter(({ purpose }) => purpose === "title").length,
    inputTokens: answers.reduce((sum, { tokens }) => sum + tokens.input, 0),
    outputTokens: answers.reduce((sum, { tokens }) => sum + tokens.output, 0),
  };
  return { usage, probeMixedIn: probe !== null && !apart };
}
