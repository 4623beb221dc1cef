/**
 * The controller Worker's entry: the run API and the scripted model, both behind the shared secret. The protocol is
 * in `src/trace/protocol/controller-protocol.ts`; sequencing is the Workflow's, judging is nobody's here.
 */
import { Hono } from "hono";
import { z } from "zod";
import { PeerError } from "../link/call.ts";
import { checkRequest, refusal } from "../link/guard.ts";
import { handleChatCompletions } from "../model/index.ts";
import { contradictionIn } from "../trace/combinations.ts";
import { TrialId } from "../trace/ids.ts";
import {
  CancelRequest,
  CreateTrialRequest,
  ResetReport,
  SnapshotReport,
  StatesRequest,
  type StatesResponse,
} from "../trace/protocol/controller-protocol.ts";
import { type ControllerEnv, ledgerOf, subjectBinding } from "./controller-env.ts";
import { noteStarted, trialState } from "./states.ts";

export { TrialWorkflow } from "./workflow.ts";

/** Largest request body, in bytes. A model request carries a whole conversation. */
const BODY_BYTES_MAX = 1024 * 1024;

const app = new Hono<{ Bindings: ControllerEnv }>();

app.use(async (c, next) => {
  const refused = await checkRequest(c.req.raw, c.env.KIT_SECRET, BODY_BYTES_MAX);
  return refused ?? next();
});

app.onError((error) => {
  if (error instanceof z.ZodError) return refusal(400, "bad-request", z.prettifyError(error));
  if (error instanceof SyntaxError) return refusal(400, "bad-json", error.message);
  if (error instanceof PeerError) return refusal(error.status, error.code, error.message);
  return refusal(500, "controller-failed", error.message);
});

app.notFound((c) => refusal(404, "unknown-path", `there is nothing at ${c.req.method} ${c.req.path}`));

app.get("/health", () => Response.json({ ok: true }));

app.post("/trials", async (c) => {
  const params = CreateTrialRequest.parse(await c.req.json());
  const { spec } = params;
  const complaint = contradictionIn(spec.factors);
  if (complaint !== null) return refusal(400, "levels-contradict", complaint);
  subjectBinding(c.env, spec.slot);
  // Two Workers keep a trial's id apart from others: the Workflow engine refuses a second instance of the same id.
  const exists = await c.env.TRIALS.get(spec.trial).then(
    () => true,
    () => false,
  );
  if (exists) return refusal(409, "trial-exists", `trial '${spec.trial}' exists already`);
  noteStarted(spec.trial);
  await c.env.TRIALS.create({ id: spec.trial, params });
  return Response.json({ trial: spec.trial }, { status: 201 });
});

app.post("/trials/states", async (c) => {
  const { trials, workflows } = StatesRequest.parse(await c.req.json());
  const states = await Promise.all(trials.map((trial) => trialState(c.env, trial, workflows)));
  return Response.json({ states } satisfies StatesResponse);
});

app.post("/trials/:trial/resets", async (c) => {
  const trial = TrialId.parse(c.req.param("trial"));
  const { record } = ResetReport.parse(await c.req.json());
  if ((record.type !== "reset.performed" && record.type !== "reset.refused") || record.source !== "cli")
    return refusal(
      400,
      "bad-request",
      "a reset report is a 'reset.performed' or 'reset.refused' of source 'cli'",
    );
  return Response.json(await ledgerOf(c.env, trial).append(`reset:${record.ordinal}`, record));
});

app.post("/trials/:trial/snapshots", async (c) => {
  const trial = TrialId.parse(c.req.param("trial"));
  const { id, record } = SnapshotReport.parse(await c.req.json());
  if (!record.type.startsWith("snapshot.") || record.source !== "cli")
    return refusal(400, "bad-request", "a snapshot report is a 'snapshot.…' record of source 'cli'");
  return Response.json(await ledgerOf(c.env, trial).append(`offline:${id}`, record));
});

app.post("/trials/:trial/cancel", async (c) => {
  const trial = TrialId.parse(c.req.param("trial"));
  const { reason, detail } = CancelRequest.parse(await c.req.json());
  await c.env.TRIALS.get(trial)
    .then((instance) => instance.terminate())
    .catch(() => undefined);
  return Response.json(await ledgerOf(c.env, trial).end({ source: "cli", reason, detail }));
});

app.get("/trials/:trial/journal", async (c) => {
  const trial = TrialId.parse(c.req.param("trial"));
  const page = z.object({ after: z.coerce.number().int().min(0), limit: z.coerce.number().int().min(1) });
  const { after, limit } = page.parse(c.req.query());
  return ledgerOf(c.env, trial).journal(after, limit);
});

app.post("/model/:trial/v1/chat/completions", (c) => {
  const trial = TrialId.parse(c.req.param("trial"));
  return handleChatCompletions(c.req.raw, ledgerOf(c.env, trial), trial);
});

export default app;
