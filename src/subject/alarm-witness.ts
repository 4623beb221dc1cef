/**
 * The alarm witness: an object that only sets an alarm and says when it fired. If it stays silent, the runtime did not deliver
 * alarms in this trial, and no harness can be blamed for not waking.
 */
import { DurableObject } from "cloudflare:workers";
import { z } from "zod";
import { Refusal } from "../link/admission.ts";
import { WitnessRequest, type WitnessResponse } from "../trace/protocol/subject-protocol.ts";
import { isolate } from "./activation.ts";
import { halt, isHalt } from "./halt.ts";
import { ledgerOf } from "./links.ts";
import type { SubjectEnv } from "./subject-env.ts";

const Armed = z.strictObject({ trial: z.string(), dueAt: z.number() });

export class AlarmWitness extends DurableObject<SubjectEnv> {
  /** Arms the alarm, once per trial. */
  override async fetch(request: Request): Promise<Response> {
    if (isHalt(request)) return halt(this.ctx);
    const parsed = WitnessRequest.safeParse(await request.json().catch(() => undefined));
    if (!parsed.success) return new Refusal("body-invalid", z.prettifyError(parsed.error)).toResponse();
    const before = Armed.safeParse(await this.ctx.storage.get("armed"));
    if (before.success) return Response.json({ dueAt: before.data.dueAt } satisfies WitnessResponse);
    const armed = { trial: this.ctx.id.name ?? "", dueAt: Date.now() + parsed.data.delayMs };
    await this.ctx.storage.put("armed", armed);
    if (!parsed.data.silent) await this.ctx.storage.setAlarm(armed.dueAt);
    return Response.json({ dueAt: armed.dueAt } satisfies WitnessResponse);
  }

  /** A failed report is thrown, so that the runtime repeats the alarm; the journal takes the first report only. */
  override async alarm(): Promise<void> {
    const armed = Armed.parse(await this.ctx.storage.get("armed"));
    await ledgerOf(this.env, armed.trial).append("canary-fired", {
      source: "subject",
      type: "canary.fired",
      canaryAt: armed.dueAt,
      lateMs: Date.now() - armed.dueAt,
      isolate: isolate(),
    });
  }
}
