/**
 * One reading of one source: a database file, a stored trace, a live object. Whatever it comes from has the same form
 * afterwards, so that any two can be compared.
 */

import { statSync } from "node:fs";
import { type Peer, PeerError } from "../../src/link/call.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { isArchiveName } from "../stored/archive.ts";
import { findStored, findTrace } from "../stored/find-trace.ts";
import { isStoredTraceName } from "../stored/trace-names.ts";
import { readDatabase } from "./database-file.ts";
import { type Finding, found } from "./finding-codes.ts";
import type { InspectKind } from "./inspect-kind.ts";

export type Asked = {
  readonly named: string;
  /** The trial of a run; its id or its number. */
  readonly trial: string | undefined;
  readonly session: string | undefined;
  /** Which reading of a trace, by its record's `seq`; the last one where it is left out. */
  readonly at: number | undefined;
  /** Folder of the runs. */
  readonly traces: string;
  /** Opens a live Worker; undefined where none is set. */
  readonly secret: string | undefined;
};

/** When and how a trial read it. */
export type Moment = {
  readonly record: number;
  /** On the ledger's clock, in ms. */
  readonly at: number;
  readonly how: "object" | "offline";
  readonly when: string;
};

export type Inspection<R> = {
  readonly source: string;
  readonly from: "file" | "trace" | "worker";
  readonly moment: Moment | null;
  /** All that the trace has; empty for another source. */
  readonly moments: readonly Moment[];
  readonly reading: R;
  readonly findings: readonly Finding[];
};

const TIMEOUT_MS = 30_000;
const LOCAL = /^(127\.0\.0\.1|\[::1\]|localhost)$/;
const OBJECT_PATH = /^\/subjects\/[^/]+\/trials\/[^/]+$/;

/** @throws UserError for what cannot be inspected, with what would help. */
export async function inspectSource<R>(kind: InspectKind<R>, asked: Asked): Promise<Inspection<R>> {
  if (/^https?:\/\//i.test(asked.named)) return await fromWorker(kind, asked);
  const path = findStored(asked.named, asked.traces);
  return isOfTraces(path) ? await fromTrace(kind, asked) : await fromFile(kind, path, asked);
}

function isOfTraces(path: string): boolean {
  if (isStoredTraceName(path) || isArchiveName(path)) return true;
  const found = statSync(path, { throwIfNoEntry: false });
  // What is not on the disk lies in an archive.
  return found === undefined || found.isDirectory();
}

async function fromFile<R>(kind: InspectKind<R>, path: string, asked: Asked): Promise<Inspection<R>> {
  if (asked.at !== undefined || asked.trial !== undefined)
    throw new UserError(`'${asked.named}' is a database file: --at and --trial are for traces`);
  const { value, findings } = await readDatabase(path, (query) =>
    kind.ofFile(query, asked.named, asked.session),
  );
  const reading = (await kind.ofFolder?.(path, value.reading)) ?? value.reading;
  return {
    ...{ source: shownPath(path), from: "file", moment: null, moments: [], reading },
    findings: together([...findings, ...value.findings], kind.findings(reading)),
  };
}

async function fromTrace<R>(kind: InspectKind<R>, asked: Asked): Promise<Inspection<R>> {
  const trace = await findTrace(asked.named, asked.trial, asked.traces);
  const { records, problems } = trace.read();
  const all = records.flatMap((record) => {
    const reading = kind.ofRecord(record);
    if (reading === null || !("how" in record)) return [];
    const moment: Moment = { record: record.seq, at: record.at, how: record.how, when: record.when };
    return [{ moment, reading, session: "session" in record ? record.session : null }];
  });
  const own =
    kind.ofSession && asked.session !== undefined
      ? all.filter(({ session }) => session === asked.session)
      : all;
  const damage = problems[0];
  const source = shownPath(trace.path);
  const because = damage === undefined ? "" : `; the trace is damaged (${damage.code}: ${damage.detail})`;
  if (all.length === 0) throw new UserError(`'${source}' has no reading of the ${kind.name}${because}`);
  const sessions = [...new Set(all.map(({ session }) => session))];
  if (own.length === 0)
    throw new UserError(
      `'${source}' has no reading of session '${asked.session}'; it has those of ${sessions.join(", ")}`,
    );
  const chosen = asked.at === undefined ? own.at(-1) : own.find(({ moment }) => moment.record === asked.at);
  const moments = own.map(({ moment }) => moment);
  if (chosen === undefined)
    throw new UserError(
      `record ${asked.at} of '${source}' is no reading of the ${kind.name}; ${momentsText(moments)}`,
    );
  return {
    ...{ source, from: "trace", moment: chosen.moment, moments, reading: chosen.reading },
    findings: [
      ...problems.slice(0, 3).map(({ code, line, detail }) => found("trace-damaged", { code, line, detail })),
      ...kind.findings(chosen.reading),
    ],
  };
}

/** Which records of a trace are readings. */
export function momentsText(moments: readonly Moment[]): string {
  return `its readings are the records ${moments.map(({ record, when, how }) => `${record} (${when}, ${how === "object" ? "through the object" : "from its files"})`).join(", ")}`;
}

/** Asking a live object wakes it: there is no way to its storage but through it. */
async function fromWorker<R>(kind: InspectKind<R>, asked: Asked): Promise<Inspection<R>> {
  const { named, secret } = asked;
  if (asked.at !== undefined || asked.trial !== undefined)
    throw new UserError(`'${named}' is a live object: --at and --trial are for traces`);
  const url = URL.parse(named);
  const path = url?.pathname.replace(/\/+$/, "") ?? "";
  if (url === null || !OBJECT_PATH.test(path) || url.search !== "" || url.username !== "")
    throw new UserError(
      `'${named}' leads to no object: give http(s)://<subject Worker>/subjects/<subject>/trials/<trial>`,
    );
  if (url.protocol === "http:" && !LOCAL.test(url.hostname))
    throw new UserError(`'${named}' would send the secret in the open: give an https URL`);
  if (secret === undefined || secret === "")
    throw new UserError("a live object is asked with the Worker's secret: set KIT_SECRET to it");
  const peer: Peer = {
    // Wherever a redirection leads, it is not who was named.
    fetch: (target, init) => fetch(target, { ...init, redirect: "error" }),
    base: url.origin,
    secret,
  };
  const reading = await kind
    .ofWorker(peer, path, AbortSignal.timeout(TIMEOUT_MS))
    .catch((error: unknown): never => {
      throw new UserError(`'${named}' could not be asked: ${whyNot(error)}`);
    });
  const session =
    typeof reading === "object" && reading !== null && "session" in reading ? reading.session : undefined;
  if (asked.session !== undefined && session !== undefined && session !== asked.session)
    throw new UserError(`'${named}' answers for session '${String(session)}', not '${asked.session}'`);
  return {
    ...{ source: named, from: "worker", moment: null, moments: [], reading },
    findings: [found("object-woken", {}), ...kind.findings(reading)],
  };
}

function whyNot(error: unknown): string {
  if (error instanceof PeerError) return `it refuses (${error.code}): ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer came within ${TIMEOUT_MS / 1_000} s`;
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** What the file's reader has said of a code, it has said in more words. */
function together(first: readonly Finding[], second: readonly Finding[]): Finding[] {
  return [...first, ...second.filter(({ code }) => first.every((other) => other.code !== code))];
}
