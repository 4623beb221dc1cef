/**
 * The controller Worker's entry: the run API and the scripted model, both behind the shared secret. The protocol is
 * in `src/trace/protocol/controller-protocol.ts`; sequencing is the Workflow's, judging is nobody's here.
 */
import { Hono } from "hono";
import { z } from "zod";
import { KnownSubject, subjectTraits } from "../harnesses/index.ts";
import {
  admit,
  answerError,
  answerNotFound,
  errorResponse,
  parseInput,
  parseTrialId,
  Refusal,
  readBody,
} from "../link/admission.ts";
import { call, PeerError } from "../link/call.ts";
import { SubjectLink } from "../link/subject-link.ts";
import { DIALECT_PATHS, handleModelRequest } from "../model/index.ts";
import { contradictionIn } from "../trace/combinations.ts";
import {
  CancelRequest,
  CreateTrialRequest,
  HaltRequest,
  type HaltResponse,
  type LabWork,
  ObservationReport,
  type ObservationResponse,
  ResetReport,
  StatesRequest,
  type StatesResponse,
} from "../trace/protocol/controller-protocol.ts";
import { LedgerWork, NewsResponse } from "../trace/protocol/ledger-protocol.ts";
import { Factors, TrialSpec } from "../trace/spec.ts";
import { realModelOf } from "./ai-binding.ts";
import { type ControllerEnv, ledgerOf, ledgerPeer, subjectBinding, subjectPeer } from "./controller-env.ts";
import { noteStarted, trialState } from "./states.ts";
import { workDone } from "./work-done.ts";

export { TrialWorkflow } from "./workflow.ts";

/** Largest request body, in bytes. A model request carries a whole conversation. */
const BODY_BYTES_MAX = 1024 * 1024;

/** A trace may be of any subject; a trial is run on one that is there. */
const AdmittedTrial = CreateTrialRequest.extend({
  spec: TrialSpec.extend({ factors: Factors.extend({ subject: KnownSubject }) }),
});

const app = new Hono<{ Bindings: ControllerEnv }>();

const answerFault = answerError("controller-failed");
app.onError((error, c) =>
  // What a peer refused is passed on as the peer said it.
  error instanceof PeerError ? errorResponse(error.status, error.code, error.message) : answerFault(error, c),
);
app.notFound(answerNotFound);

app.use(
  admit<{ Bindings: ControllerEnv }>({ secret: (c) => c.env.KIT_SECRET, bodyBytesMax: () => BODY_BYTES_MAX }),
);

app.get("/health", () => Response.json({ ok: true }));

app.get("/work", async (c) => {
  const ledger = await call(ledgerPeer(c.env), "GET", "/work", LedgerWork);
  return Response.json({ ...workDone, ledger } satisfies LabWork);
});

app.post("/trials", async (c) => {
  const params = await readBody(c, AdmittedTrial);
  const { spec } = params;
  const complaint = contradictionIn(spec.factors, subjectTraits(spec.factors.subject));
  if (complaint !== null) throw new Refusal("levels-contradict", complaint);
  subjectBinding(c.env, spec.slot);
  // Two Workers keep a trial's id apart from others: the Workflow engine refuses a second instance of the same id.
  const exists = await c.env.TRIALS.get(spec.trial).then(
    () => true,
    () => false,
  );
  if (exists) throw new Refusal("trial-exists", `Trial '${spec.trial}' exists already.`);
  noteStarted(spec.trial);
  await c.env.TRIALS.create({ id: spec.trial, params });
  return Response.json({ trial: spec.trial }, { status: 201 });
});

app.post("/trials/states", async (c) => {
  const { trials, workflows } = await readBody(c, StatesRequest);
  const states = await Promise.all(trials.map((trial) => trialState(c.env, trial, workflows)));
  return Response.json({ states } satisfies StatesResponse);
});

app.get("/news", async (c) => {
  const query = new URLSearchParams(c.req.query());
  return Response.json(await call(ledgerPeer(c.env), "GET", `/news?${query}`, NewsResponse));
});

app.post("/trials/:trial/resets", async (c) => {
  const trial = parseTrialId(c.req.param("trial"));
  const { record } = await readBody(c, ResetReport);
  if ((record.type !== "reset.performed" && record.type !== "reset.refused") || record.source !== "cli")
    throw new Refusal(
      "body-invalid",
      "body.record: expected a 'reset.performed' or 'reset.refused' of source 'cli'.",
    );
  return Response.json(await ledgerOf(c.env, trial).append(`reset:${record.ordinal}`, record));
});

app.post("/trials/:trial/observations", async (c) => {
  const trial = parseTrialId(c.req.param("trial"));
  const { id, records } = await readBody(c, ObservationReport);
  if (!records.every(({ type, source }) => /^(snapshot|process)\./.test(type) && source === "cli"))
    throw new Refusal("body-invalid", "body.records: expected 'snapshot.…' and 'process.…' of source 'cli'.");
  const named = records.map((record, index) => ({ id: `observed:${id}:${index}`, record }));
  const { answers } = await ledgerOf(c.env, trial).appendAll(named);
  return Response.json({ seqs: answers.map(({ seq }) => seq) } satisfies ObservationResponse);
});

app.post("/trials/:trial/cancel", async (c) => {
  const trial = parseTrialId(c.req.param("trial"));
  const { reason, detail } = await readBody(c, CancelRequest);
  await c.env.TRIALS.get(trial)
    .then((instance) => instance.terminate())
    .catch(() => undefined);
  return Response.json(await ledgerOf(c.env, trial).end({ source: "cli", reason, detail }));
});

app.post("/trials/:trial/halt", async (c) => {
  const trial = parseTrialId(c.req.param("trial"));
  const { subject } = await readBody(c, HaltRequest);
  // First of all: a Workflow that has just been created may have no journal yet.
  const workflow = await c.env.TRIALS.get(trial)
    .then((instance) => instance.terminate())
    .then(
      () => true,
      () => false,
    );
  // A trial that nobody began has no object, and must not get one. Its journal is there before the object is.
  const { ended } = await ledgerOf(c.env, trial).status();
  if (ended === null)
    await ledgerOf(c.env, trial).end({
      source: "cli",
      reason: "cancelled",
      detail: "stopped by the kill switch",
    });
  await new SubjectLink(subjectPeer(c.env), subject, trial).halt();
  return Response.json({ workflow, journal: ended === null } satisfies HaltResponse);
});

app.get("/trials/:trial/journal", async (c) => {
  const trial = parseTrialId(c.req.param("trial"));
  const page = z.object({ after: z.coerce.number().int().min(0), limit: z.coerce.number().int().min(1) });
  const { after, limit } = parseInput(page, c.req.query(), "query");
  return ledgerOf(c.env, trial).journal(after, limit);
});

for (const path of DIALECT_PATHS)
  app.post(`/model/:trial/v1/${path}`, (c) => {
    const trial = parseTrialId(c.req.param("trial"));
    return handleModelRequest(c.req.raw, ledgerOf(c.env, trial), trial, path, realModelOf(c.env.AI));
  });

export default app;
