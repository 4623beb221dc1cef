/**
 * Ids that a client was handed for work in the executor, used after the loss: before there is new work, and after it. Each piece
 * of work has a name that its output shows, so that an id which names other work can be told from one that names its own.
 */
import type { RecordDraft } from "../trace/records.ts";
import { errorText, type Recorder } from "./recorder.ts";

type Begun = RecordDraft<"work.begun">;
type Moment = RecordDraft<"reference.used">["moment"];

/** Before the reset, while its point is held: the work whose id is old afterwards. Touches the object. */
export async function beginOldWork(recorder: Recorder): Promise<void> {
  if (recorder.spec.references === undefined) return;
  await recorder.act("work:old", () => begin(recorder, "before", "old"));
}

/** After the probe: a piece of new work for each caller, at the same time. Touches the object. */
export async function beginNewWork(recorder: Recorder): Promise<void> {
  const { references, factors } = recorder.spec;
  if (references === undefined) return;
  const names = factors.callers === undefined ? ["new"] : ["new", "new-rival"];
  const begun = names.map((name) => begin(recorder, "after", name));
  for (const [index, name] of names.entries())
    await recorder.act(`work:${name}`, () => begun[index] ?? begin(recorder, "after", name));
}

/** Uses every id that was handed out so far. Touches the object. */
export async function useReferences(recorder: Recorder, moment: Moment): Promise<void> {
  if (recorder.spec.references === undefined) return;
  await recorder.flush();
  for (const name of ["old", "new", "new-rival"]) {
    const work = nameOf(recorder, name);
    const begun = await recorder.find(["work.begun"], 0, (one) => one.work === work);
    if (begun === null || begun.reference === null) continue;
    const { seq, reference } = begun;
    await recorder.act(`reference:${moment}:${name}`, () =>
      use(recorder, { moment, reference, because: seq }),
    );
  }
}

async function begin(recorder: Recorder, moment: Begun["moment"], name: string): Promise<RecordDraft> {
  const { subject } = recorder;
  const work = nameOf(recorder, name);
  const base = { source: "controller", type: "work.begun", moment, work, because: null } as const;
  try {
    const { reference, executor } = await subject.beginWork({ work });
    return { ...base, reference, executor, error: null, activation: subject.served.activation };
  } catch (error) {
    return { ...base, reference: null, executor: null, error: errorText(error), activation: null };
  }
}

async function use(
  { subject }: Recorder,
  used: Pick<RecordDraft<"reference.used">, "moment" | "because"> & { readonly reference: string },
): Promise<RecordDraft> {
  const base = { source: "controller", type: "reference.used", ...used } as const;
  try {
    const { work } = await subject.useReference({ reference: used.reference });
    return { ...base, work, error: null, activation: subject.served.activation };
  } catch (error) {
    return { ...base, work: null, error: errorText(error), activation: null };
  }
}

function nameOf({ spec }: Recorder, name: string): string {
  return `${spec.trial}-${name}`;
}
