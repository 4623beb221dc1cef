/** Reading who and what is there, at four moments of a trial, where an executor does the work apart from the object. */
import type { RecordDraft } from "../trace/records.ts";
import { errorText, type Recorder } from "./recorder.ts";

type Moment = RecordDraft<"identity.read">["moment"];

/** Touches the object. A reading that fails is recorded as that. */
export async function readIdentity(recorder: Recorder, moment: Moment): Promise<void> {
  if (recorder.spec.container === undefined) return;
  await recorder.act(`identity:${moment}`, async (): Promise<RecordDraft> => {
    const base = { source: "controller", type: "identity.read", moment, because: null } as const;
    try {
      const read = await recorder.subject.identity();
      return { ...base, ...read, activation: recorder.subject.served.activation, error: null };
    } catch (error) {
      const markers = { object: null, memory: null, workspace: null, state: null, undeclared: null };
      const nothing = { session: "unknown", executor: null, running: null, markers, activation: null };
      return { ...base, ...nothing, error: errorText(error) };
    }
  });
}
