/** Names the OpenCode host and says what a result on it is worth: shown before a run, above every table. */
import { CONTAINER_CAVEATS, caveatOf } from "../../src/summarize/caveat.ts";
import type { Environment, HostIdentity } from "../../src/trace/spec.ts";
import type { HostChoice } from "../local/workerd/host-choice.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import { type Page, PLAIN_PAGE } from "./page.ts";
import { wrap } from "./wrap.ts";

/** `environment`: of one of the traces, where there is one. */
export function hostLines(
  host: HostIdentity | null,
  page: Page = PLAIN_PAGE,
  environment: Pick<Environment, "runtime"> | null = null,
): string[] {
  return linesOfHost(host, caveatOf(host, environment), page);
}

/** The same where it is known already what a result is worth. */
export function linesOfHost(
  host: HostIdentity | null,
  caveat: string | null,
  { paint, width }: Page = PLAIN_PAGE,
): string[] {
  if (host === null) return ["host: unknown, no trace could be read"];
  const named = `host: ${paint("bold", host.kind)} (${`${host.name} ${host.version}`.trim()})`;
  return caveat === null ? [named] : [named, ...wrap(caveat, width, "  ")];
}

/** What stood for the containers of a run's executors, where it had any. */
export function containerLines(trials: readonly JudgedTrial[], { width }: Page = PLAIN_PAGE): string[] {
  const kinds = new Set(trials.flatMap(({ spec }) => spec?.container ?? []));
  return [...kinds].flatMap((kind) => wrap(`container: ${kind}; ${CONTAINER_CAVEATS[kind]}`, width));
}

/** The host that a run is going to use, and why. */
export function choiceLines({ kind, name, version, reason }: HostChoice, page: Page = PLAIN_PAGE): string[] {
  return [
    ...hostLines({ kind, name, version }, page),
    ...wrap(`chosen because: ${reason}`, page.width, "  "),
  ];
}
