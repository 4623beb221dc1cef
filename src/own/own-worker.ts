/**
 * What a user's Worker becomes under trial: every exported class of Durable Objects is followed by the kit, and beside her own
 * requests the Worker answers those of the subject protocol, for which it acts as a client of itself. The module that the bundler
 * starts from is generated (own-project.ts) and holds nothing but calls of this.
 */
import { DurableObject, type WorkerEntrypoint } from "cloudflare:workers";
import { type Context, Hono } from "hono";
import { z } from "zod";
import {
  admit,
  answerError,
  answerNotFound,
  parseInput,
  parseJson,
  parseTrialId,
  Refusal,
} from "../link/admission.ts";
import { parsePrompt } from "../model/prompt.ts";
import { AlarmWitness } from "../subject/alarm-witness.ts";
import { serveCounted } from "../subject/serve-counted.ts";
import type { SubjectEnv } from "../subject/subject-env.ts";
import { asWorkOf } from "../subject/uncaught.ts";
import { isOfTheProtocol, layOver } from "../subject/under-trial.ts";
import {
  type OperationResult,
  SubmitRequest,
  SubmitResponse,
  TranscriptResponse,
  WaitRequest,
  type WaitResponse,
} from "../trace/protocol/subject-protocol.ts";
import { Claim } from "../trace/records.ts";
import type { Client, ClientCall, Result } from "./client.ts";
import { linksOf, type OwnEnv, withoutKit } from "./own-env.ts";
import { ClientLife, OwnLife } from "./own-life.ts";
import { OwnSubject } from "./own-subject.ts";
import { noteCalls } from "./rpc-entries.ts";

/** The subject's name in paths and traces. */
const SUBJECT = "own";
/** Between two questions for a result, in ms. */
const ASK_EVERY_MS = 250;
/** How often a request that stays open shows that it is not forgotten, in ms. */
const HELD_MS = 1_000;
const BODY_BYTES_MAX = 64 * 1024;

/** What the kit uses of `defineTrial`, in the Worker. */
export type OwnTrial = {
  readonly object: {
    readonly class: string;
    readonly binding: string;
    readonly name?: (trial: string) => string;
  };
  readonly client: Client;
};

const Taken = z.object({ accepted: z.boolean() });

const ResultShape = z.discriminatedUnion("status", [
  z.strictObject({ status: z.literal("pending") }),
  z.strictObject({
    status: z.literal("done"),
    text: z.string().optional(),
    claim: Claim.shape.claim.optional(),
  }),
  z.strictObject({
    status: z.literal("unanswered"),
    reason: z.string().optional(),
    text: z.string().optional(),
  }),
]);

export class KitAlarmWitness extends AlarmWitness {
  constructor(ctx: DurableObjectState, env: OwnEnv) {
    super(ctx, linksOf(env) as SubjectEnv);
  }
}

/** An export of hers: followed by the kit if it is a class of Durable Objects, else as it is. */
export function underOwnTrial(exported: unknown, className: string, trial: OwnTrial): unknown {
  if (!isObjectClass(exported)) return exported;
  const isSubject = className === trial.object.class;
  return layOver<OwnEnv>(exported, (ctx, env) => {
    const life = new OwnLife({ ctx, env, className }, isSubject);
    return {
      life,
      environment: withoutKit(env),
      constructed(agent) {
        if (isSubject) reachable(agent);
        noteCalls(agent, life);
      },
      answer(_, request) {
        if (!isSubject || !isOfTheKit(request, env)) return null;
        return answerAsObject(request, ctx, life);
      },
    };
  });
}

/** Her default export, which also answers the kit. */
export function ownWorker(own: unknown, trial: OwnTrial): unknown {
  const answers = (request: Request, env: OwnEnv, ctx: ExecutionContext) =>
    appOf(own, trial).fetch(request, env, ctx);
  if (typeof own === "function")
    return class extends (own as new (ctx: ExecutionContext, env: OwnEnv) => WorkerEntrypoint<OwnEnv>) {
      override async fetch(request: Request): Promise<Response> {
        if (isOfTheKit(request, this.env)) return answers(request, this.env, this.ctx);
        if (super.fetch === undefined) throw new TypeError(NO_FETCH);
        return super.fetch(request);
      }
    };
  const handlers = typeof own === "object" && own !== null ? own : {};
  const names = ["scheduled", "queue", "email", "tail", "trace", "tailStream", "test"];
  const others = names.flatMap((name) => {
    const handler: unknown = Reflect.get(handlers, name);
    return typeof handler === "function" ? [[name, handler.bind(handlers)] as const] : [];
  });
  return {
    ...Object.fromEntries(others),
    async fetch(request: Request, env: OwnEnv, ctx: ExecutionContext): Promise<Response> {
      return isOfTheKit(request, env) ? answers(request, env, ctx) : defaultFetch(own, request, env, ctx);
    },
  };
}

const NO_FETCH = "Handler does not export a fetch() function.";

async function defaultFetch(
  own: unknown,
  request: Request,
  env: OwnEnv,
  ctx: ExecutionContext,
): Promise<Response> {
  const instance: unknown = typeof own === "function" ? Reflect.construct(own, [ctx, env]) : own;
  const handler: unknown =
    typeof instance === "object" && instance !== null && Reflect.get(instance, "fetch");
  if (typeof handler !== "function") throw new TypeError(NO_FETCH);
  return await Reflect.apply(handler, instance, typeof own === "function" ? [request] : [request, env, ctx]);
}

function isObjectClass(exported: unknown): exported is new (ctx: DurableObjectState, env: never) => object {
  return typeof exported === "function" && exported.prototype instanceof DurableObject;
}

/** A path alone could be hers. */
function isOfTheKit(request: Request, { KIT_SECRET }: OwnEnv): boolean {
  const isPath = isOfTheProtocol(request) || new URL(request.url).pathname.startsWith("/witnesses/");
  return (
    isPath && KIT_SECRET !== undefined && request.headers.get("authorization") === `Bearer ${KIT_SECRET}`
  );
}

/** A class that is called by its methods alone is reached by the kit all the same, and by nobody else. */
function reachable(agent: object): void {
  if (typeof Reflect.get(agent, "fetch") === "function") return;
  const value = () => {
    throw new TypeError(NO_FETCH);
  };
  Reflect.defineProperty(agent, "fetch", { value, configurable: true, writable: true });
}

async function answerAsObject(request: Request, ctx: DurableObjectState, life: OwnLife): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, , , , trial, asked] = pathname.split("/");
  if (asked === "held") {
    // Nothing is waited for: who holds it is told when the object is lost.
    for (;;) await scheduler.wait(HELD_MS);
  }
  const activation = await life.belongsTo(parseTrialId(trial));
  return serveCounted(request, new OwnSubject(ctx, activation, life.session), activation);
}

/** Later work is over when its client was answered, and has no result of its own. */
const laterDone = new Set<string>();

type App = Hono<{ Bindings: OwnEnv }>;
const apps = new WeakMap<OwnTrial, App>();

function appOf(own: unknown, trial: OwnTrial): App {
  const known = apps.get(trial);
  if (known !== undefined) return known;
  const app: App = new Hono<{ Bindings: OwnEnv }>();
  apps.set(trial, app);
  app.onError(answerError("subject-failed"));
  app.notFound(answerNotFound);
  app.use(
    admit<{ Bindings: OwnEnv }>({ secret: (c) => c.env.KIT_SECRET, bodyBytesMax: () => BODY_BYTES_MAX }),
  );
  app.all(`/subjects/${SUBJECT}/trials/:trial/:request`, (c) => answerAsClient(c, own, trial));
  app.post("/witnesses/:trial/:halt?", (c) =>
    forward(c.env.KIT_WITNESS.getByName(parseTrialId(c.req.param("trial"))), c.req.raw),
  );
  return app;
}

/** A lost object makes `fetch` throw; its exact error text is evidence, so it is passed on as an answer. */
async function forward(object: Pick<DurableObjectStub, "fetch">, request: Request): Promise<Response> {
  try {
    return await object.fetch(request);
  } catch (error) {
    throw lost(error);
  }
}

function lost(error: unknown): Refusal {
  return new Refusal("object-lost", error instanceof Error ? error.message : String(error));
}

/** The object answers first, and so counts the request and names the activation; then the client does what it was asked. */
async function answerAsClient(
  c: Context<{ Bindings: OwnEnv }, "/subjects/own/trials/:trial/:request">,
  own: unknown,
  { object: { binding, name: nameOf }, client }: OwnTrial,
): Promise<Response> {
  const trial = parseTrialId(c.req.param("trial"));
  const asked = c.req.param("request");
  const name = nameOf?.(trial) ?? trial;
  const namespace = Reflect.get(c.env, binding) as DurableObjectNamespace;
  const object = namespace.getByName(name);
  const body = ["submit", "wait"].includes(asked) ? await c.req.raw.clone().arrayBuffer() : null;
  const answer = await forward(object, c.req.raw);
  if (!answer.ok) return answer;
  const env = withoutKit(c.env);
  const ctx = c.executionCtx as ExecutionContext;
  const call = (operationId: string): ClientCall => ({
    env,
    object,
    name,
    operationId,
    fetch: async (input, init) => defaultFetch(own, new Request(absolute(input), init), env as OwnEnv, ctx),
  });
  const asClient = <T>(work: () => T): T => asWorkOf(new ClientLife(trial, name), work);
  const said = (value: unknown) => Response.json(value, { headers: kitHeaders(answer.headers) });
  if (asked === "submit" && body !== null) {
    const { operationId, text } = parseInput(SubmitRequest, parseJson(body), "body");
    const noted = SubmitResponse.parse(await answer.json());
    const isLater = parsePrompt(text)?.kind === "probe";
    if (isLater && client.later !== undefined) {
      const { later } = client;
      await asClient(() => later(call(operationId)));
      laterDone.add(operationId);
      return said({ ...noted, accepted: true } satisfies SubmitResponse);
    }
    if (!noted.accepted && client.again !== true)
      throw new Refusal("operation-unknown", "a client of this Worker hands nothing in twice");
    const submitted: unknown = await asClient(() => client.submit({ ...call(operationId), prompt: text }));
    // Where her Worker does not tell, the object's own notes do: it was never asked for this before.
    const accepted = Taken.safeParse(submitted).data?.accepted ?? noted.accepted;
    return said({ ...noted, accepted } satisfies SubmitResponse);
  }
  if (asked === "wait" && body !== null) {
    const { operationId, timeoutMs } = parseInput(WaitRequest, parseJson(body), "body");
    if (laterDone.has(operationId)) {
      const result = resultOf({ status: "done", claim: "none" }, operationId, name);
      return said({ settled: true, result } satisfies WaitResponse);
    }
    const result = await asClient(() =>
      settled(
        object,
        trial,
        c.env,
        async () => ResultShape.parse(await client.result(call(operationId))),
        timeoutMs,
      ),
    );
    if (result === null) return said({ settled: false, waitedMs: timeoutMs } satisfies WaitResponse);
    return said({ settled: true, result: resultOf(result, operationId, name) } satisfies WaitResponse);
  }
  if (asked === "transcript" && client.transcript !== undefined) {
    const { transcript } = client;
    const noted = TranscriptResponse.parse(await answer.json());
    const messages = await asClient(() => transcript(call("")));
    return said({ ...noted, messages: [...messages] } satisfies TranscriptResponse);
  }
  return answer;
}

/** Relative addresses are her Worker's. */
function absolute(input: Request | string): Request | string {
  return typeof input === "string" ? new URL(input, "http://own.invalid").href : input;
}

function kitHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-kit-")));
}

/**
 * Asks until the work has settled or the time has run out, which is null. A question would wake an object that was lost: a
 * request that stays open tells of the loss, and nothing is asked after it.
 */
async function settled(
  object: DurableObjectStub,
  trial: string,
  { KIT_SECRET }: OwnEnv,
  ask: () => Promise<Result>,
  timeoutMs: number,
): Promise<Exclude<Result, { status: "pending" }> | null> {
  const over = new AbortController();
  const deadline = Date.now() + timeoutMs;
  const held = object
    .fetch(`http://own.invalid/subjects/${SUBJECT}/trials/${trial}/held`, {
      headers: { authorization: `Bearer ${KIT_SECRET ?? ""}` },
      signal: over.signal,
    })
    .then(
      () => null,
      (error: unknown) => (over.signal.aborted ? null : lost(error)),
    );
  let loss: Refusal | null = null;
  void held.then((error) => {
    loss = error;
  });
  try {
    for (;;) {
      const answer = await Promise.race([ask(), held.then(rejectedBy)]);
      if (loss !== null) throw loss;
      if (answer.status !== "pending") return answer;
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) return null;
      await Promise.race([scheduler.wait(Math.min(ASK_EVERY_MS, leftMs)), held.then(rejectedBy)]);
    }
  } finally {
    over.abort();
  }
}

async function rejectedBy(error: Refusal | null): Promise<never> {
  throw error ?? new Refusal("object-lost", "the object let go of an open request");
}

function resultOf(
  result: Exclude<Result, { status: "pending" }>,
  operationId: string,
  session: string,
): OperationResult {
  const base = { operationId, session, text: result.text ?? null };
  return result.status === "done"
    ? { ...base, status: "done", reason: null, claim: result.claim ?? "committed" }
    : { ...base, status: "unanswered", reason: result.reason ?? "unanswered" };
}
