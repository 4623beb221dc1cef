/**
 * Two sides' observations and the list of known differences in, the agreement table out. Pure.
 *
 * A known difference holds only as long as it occurs exactly as listed: anything else is `unlisted`, and an entry
 * that no longer occurs is `stale`. Both fail.
 */

import { show } from "./normalise.ts";
import type { EventLabel, Json, Observation } from "./observation.ts";

/** The two generations write the same thing under different names, or one of them does not write it at all. */
export type VocabularyDifference =
  | { readonly kind: "renamed"; readonly server: string; readonly standIn: string; readonly reason: string }
  | { readonly kind: "stand-in-only"; readonly name: string; readonly reason: string };

/** One rule on which the sides differ, with what each of them is known to do. Events are given as shown. */
export type KnownDifference = {
  readonly rule: string;
  readonly server: Json;
  readonly standIn: Json;
  readonly reason: string;
};

export type Known = {
  readonly vocabulary: readonly VocabularyDifference[];
  readonly differences: readonly KnownDifference[];
};

export type Status = "agree" | "known" | "UNLISTED" | "STALE";

export type Line = {
  readonly rule: string;
  readonly sentence: string;
  readonly section: string;
  /** Null where a side has nothing to show. */
  readonly server: Json;
  readonly standIn: Json;
  readonly status: Status;
  readonly reason: string | null;
};

/** @param declared - Names that the server's own API description knows, of events and of messages. */
export function compare(
  server: readonly Observation[],
  standIn: readonly Observation[],
  declared: readonly string[],
  known: Known,
): Line[] {
  const ofStandIn = new Map(standIn.map((observation) => [observation.rule, observation]));
  const ofServer = new Set(server.map(({ rule }) => rule));
  const lines = server.map((observation) => compareOne(observation, ofStandIn.get(observation.rule), known));
  const missing = standIn.filter(({ rule }) => !ofServer.has(rule));
  const unmatched = known.differences.filter(({ rule }) => !ofServer.has(rule) && !ofStandIn.has(rule));
  return [
    ...known.vocabulary.map((entry) => checkEntry(entry, namesIn(server), namesIn(standIn), declared)),
    ...lines,
    ...missing.map(
      (observation): Line => ({
        ...describe(observation),
        server: null,
        standIn: plain(observation),
        status: "UNLISTED",
        reason: "observed on the stand-in only",
      }),
    ),
    ...unmatched.map(
      ({ rule, server, standIn }): Line => ({
        rule,
        sentence: "Listed as a known difference.",
        section: "",
        server,
        standIn,
        status: "STALE",
        reason: "no scenario observes this rule",
      }),
    ),
  ];
}

export function isFailure({ status }: Line): boolean {
  return status === "UNLISTED" || status === "STALE";
}

function compareOne(server: Observation, standIn: Observation | undefined, known: Known): Line {
  const about = describe(server);
  if (standIn === undefined)
    return {
      ...about,
      server: plain(server),
      standIn: null,
      status: "UNLISTED",
      reason: "observed on the server only",
    };
  const values = {
    server: translate(server, known, "server"),
    standIn: translate(standIn, known, "stand-in"),
  };
  const entry = known.differences.find(({ rule }) => rule === server.rule);
  if (same(values.server, values.standIn))
    return entry === undefined
      ? { ...about, ...values, status: "agree", reason: null }
      : { ...about, ...values, status: "STALE", reason: "listed as a known difference, but the sides agree" };
  if (entry === undefined) return { ...about, ...values, status: "UNLISTED", reason: null };
  return same(entry.server, values.server) && same(entry.standIn, values.standIn)
    ? { ...about, ...values, status: "known", reason: entry.reason }
    : { ...about, ...values, status: "UNLISTED", reason: "differs in another way than listed" };
}

/** Events in the shared vocabulary: the server's renamed, and without those that only one generation writes. */
function translate({ found }: Observation, { vocabulary }: Known, side: "server" | "stand-in"): Json {
  if (found.kind === "value") return found.value;
  const renamed = new Map(
    vocabulary.flatMap((entry) => (entry.kind === "renamed" ? [[entry.server, entry.standIn] as const] : [])),
  );
  const absent = new Set(vocabulary.flatMap((entry) => (entry.kind === "stand-in-only" ? [entry.name] : [])));
  const events =
    side === "server"
      ? found.events.map((label) => ({ ...label, name: renamed.get(label.name) ?? label.name }))
      : found.events.filter((label) => !absent.has(label.name));
  return events.map(show);
}

function checkEntry(
  entry: VocabularyDifference,
  server: ReadonlySet<string>,
  standIn: ReadonlySet<string>,
  declared: readonly string[],
): Line {
  const knownToServer = (name: string) => server.has(name) || declared.includes(name);
  const about = { section: "5.2" };
  if (entry.kind === "renamed") {
    const holds =
      server.has(entry.server) &&
      standIn.has(entry.standIn) &&
      !knownToServer(entry.standIn) &&
      !standIn.has(entry.server);
    return {
      ...about,
      rule: `vocabulary.${entry.standIn}`,
      sentence: "An event that both write, under different names.",
      server: entry.server,
      standIn: entry.standIn,
      ...verdict(holds, entry.reason),
    };
  }
  return {
    ...about,
    rule: `vocabulary.${entry.name}`,
    sentence: "An event that only the newer generation writes.",
    server: null,
    standIn: entry.name,
    ...verdict(standIn.has(entry.name) && !knownToServer(entry.name), entry.reason),
  };
}

function verdict(holds: boolean, reason: string): Pick<Line, "status" | "reason"> {
  return holds
    ? { status: "known", reason }
    : { status: "STALE", reason: "listed as a known difference, but it does not occur as listed" };
}

function namesIn(observations: readonly Observation[]): ReadonlySet<string> {
  return new Set(
    observations.flatMap(({ found }) =>
      found.kind === "events" ? found.events.map(({ name }) => name) : [],
    ),
  );
}

function describe({ rule, sentence, section }: Observation) {
  return { rule, sentence, section };
}

function plain({ found }: Observation): Json {
  return found.kind === "value" ? found.value : found.events.map((label: EventLabel) => show(label));
}

/** Both sides build their values in the same code, so the order of keys is the same as well. */
function same(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
