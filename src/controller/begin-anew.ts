/**
 * Sessions that begin anew at the end of a trial, where an executor does the work: the trial's own one is reset where it took
 * no work any more, to see whether that helps and at what price; another one shows whether it begins with nothing of the first.
 */
import { probePrompt } from "../model/index.ts";
import type { RecordDraft } from "../trace/records.ts";
import { settled } from "./operations.ts";
import { errorText, type Recorder } from "./recorder.ts";

type Begun = RecordDraft<"session.begun">;

/** After the probe. Touches the object. */
export async function beginAnew(recorder: Recorder): Promise<void> {
  if (recorder.spec.container === undefined) return;
  const probe = await recorder.find(["probe.settled"], 0);
  if (probe?.status === "unanswered") await begin(recorder, "reset");
  await begin(recorder, "new");
}

async function begin(recorder: Recorder, beginning: Begun["beginning"]): Promise<void> {
  const { spec, subject } = recorder;
  const operationId = `${spec.probeId}-${beginning}`;
  const begun = await recorder.act(`begun:${beginning}`, async (): Promise<RecordDraft> => {
    const base = {
      source: "controller",
      type: "session.begun",
      beginning,
      operationId,
      because: null,
    } as const;
    try {
      const { session, accepted } = await subject.begin({ beginning, operationId, text: probePrompt() });
      return { ...base, session, accepted, error: null, activation: subject.served.activation };
    } catch (error) {
      return { ...base, session: "unknown", accepted: null, error: errorText(error), activation: null };
    }
  });
  if (begun.type !== "session.begun" || begun.error !== null) return;
  await settled(recorder, "session", operationId, begun.session);
}
