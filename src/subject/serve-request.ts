/**
 * The subject protocol inside an object: parses a request, has the subject answer it, sends JSON.
 * Every subject implements `SubjectRequests`; the wire format is in `src/trace/protocol/subject-protocol.ts`.
 *
 * Leaves to others: authentication and routing (the Worker's entry), which run before an object is touched.
 */
import { z } from "zod";
import { parseInput, parseJson, Refusal } from "../link/admission.ts";
import { OpaqueId } from "../trace/ids.ts";
import { Via } from "../trace/observations.ts";
import {
  BeginRequest,
  type IdentityResponse,
  type JobsResponse,
  type LogResponse,
  PrepareRequest,
  type PrepareResponse,
  ReferenceRequest,
  type ReferenceResponse,
  type SchemaResponse,
  SessionResponse,
  SubmitRequest,
  type SubmitResponse,
  type TranscriptResponse,
  WaitRequest,
  type WaitResponse,
  WorkRequest,
  type WorkResponse,
  type WritesResponse,
} from "../trace/protocol/subject-protocol.ts";

export type SubjectRequests = {
  /** Makes ready to answer, before each request; absent where nothing has to be started. */
  start?(): Promise<void>;
  prepare(request: PrepareRequest): Promise<PrepareResponse>;
  submit(request: SubmitRequest): Promise<SubmitResponse>;
  /** A further prompt about an operation that the harness knows; absent where a harness goes on by itself. */
  followUp?(request: SubmitRequest): Promise<SubmitResponse>;
  /** A session that begins anew; absent where a trial has one session. */
  begin?(request: BeginRequest): Promise<SubmitResponse>;
  /** Another session, and the end of one; absent where a trial has one session. */
  openSession?(): Promise<SessionResponse>;
  deleteSession?(request: SessionResponse): Promise<SessionResponse>;
  /** Lines of a session's events; absent where nobody can follow them. */
  events?(session: string | undefined): Promise<Response>;
  /** Waits for at most `timeoutMs`; stops only the wait. */
  wait(request: WaitRequest): Promise<WaitResponse>;
  log(after: number | null): Promise<LogResponse>;
  /** `via` means something to a harness with several readings only. */
  transcript(via: Via): Promise<TranscriptResponse>;
  schema(): Promise<SchemaResponse>;
  jobs(): Promise<JobsResponse>;
  /** The harness's own interrupt of the session. */
  abort(): Promise<boolean>;
  /** Who and what is there; absent where no executor does the work. */
  identity?(): Promise<IdentityResponse>;
  /** Begins a piece of work in the executor; absent where no ids of such work are handed out. */
  beginWork?(request: WorkRequest): Promise<WorkResponse>;
  /** What an id names now; fails when it names nothing. */
  useReference?(request: ReferenceRequest): Promise<ReferenceResponse>;
  /** Has the harness stop its executor; absent where none does the work apart from the subject. */
  stopExecutor?(): Promise<void>;
  /** The writes that were numbered; absent where nobody can number them. */
  writes?(): WritesResponse;
  /** Stays open until the object is lost at a write; absent likewise. */
  loss?(): Promise<Response>;
  /** `ctx.abort()`, which does not return; a subject that is no object answers with a refusal. */
  reset(): Response;
};

/** What is asked for where nothing is said. */
const Reading = Via.default("history");
const SessionAsked = OpaqueId.optional();
const After = z.coerce.number().int().min(-1);

/** Serves `…/<request>` of one object. Outcomes of the subject are answers; only misuse is refused. */
export async function serveRequest(request: Request, subject: SubjectRequests): Promise<Response> {
  const url = new URL(request.url);
  const asked = `${request.method} ${url.pathname.split("/").at(-1) ?? ""}`;
  try {
    await subject.start?.();
    switch (asked) {
      case "POST prepare":
        return Response.json(await subject.prepare(await body(request, PrepareRequest)));
      case "POST submit":
        return Response.json(await subject.submit(await body(request, SubmitRequest)));
      case "POST follow-up":
        if (subject.followUp === undefined) break;
        return Response.json(await subject.followUp(await body(request, SubmitRequest)));
      case "POST begin":
        if (subject.begin === undefined) break;
        return Response.json(await subject.begin(await body(request, BeginRequest)));
      case "POST sessions":
        if (subject.openSession === undefined) break;
        return Response.json(await subject.openSession());
      case "POST delete-session":
        if (subject.deleteSession === undefined) break;
        return Response.json(await subject.deleteSession(await body(request, SessionResponse)));
      case "GET events":
        if (subject.events === undefined) break;
        return await subject.events(
          parseInput(SessionAsked, url.searchParams.get("session") ?? undefined, "query"),
        );
      case "POST wait":
        return Response.json(await subject.wait(await body(request, WaitRequest)));
      case "GET log": {
        const after = url.searchParams.get("after");
        return Response.json(await subject.log(after === null ? null : parseInput(After, after, "query")));
      }
      case "GET transcript":
        return Response.json(
          await subject.transcript(parseInput(Reading, url.searchParams.get("via") ?? undefined, "query")),
        );
      case "GET schema":
        return Response.json(await subject.schema());
      case "GET jobs":
        return Response.json(await subject.jobs());
      case "POST abort":
        return Response.json({ aborted: await subject.abort() });
      case "GET identity":
        if (subject.identity === undefined) break;
        return Response.json(await subject.identity());
      case "POST work":
        if (subject.beginWork === undefined) break;
        return Response.json(await subject.beginWork(await body(request, WorkRequest)));
      case "POST reference":
        if (subject.useReference === undefined) break;
        return Response.json(await subject.useReference(await body(request, ReferenceRequest)));
      case "POST stop-executor":
        if (subject.stopExecutor === undefined) break;
        await subject.stopExecutor();
        return Response.json({ stopped: true });
      case "GET writes":
        if (subject.writes === undefined) break;
        return Response.json(subject.writes());
      case "POST loss":
        if (subject.loss === undefined) break;
        return await subject.loss();
      case "POST reset":
        return subject.reset();
      default:
    }
    throw new Refusal("operation-unknown", `there is no operation '${asked}'`);
  } catch (error) {
    if (error instanceof Refusal) return error.toResponse();
    return new Refusal("subject-failed", error instanceof Error ? error.message : String(error)).toResponse();
  }
}

async function body<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  return parseInput(schema, parseJson(await request.arrayBuffer()), "body");
}
