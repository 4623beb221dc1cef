import { z } from "zod";
import { named, type Scenario, verdictOf } from "../scene.ts";
import type { Reply } from "../sides/side.ts";

/** Both write the admission of an input once, under different names. */
const ADMITTED = ["prompt.admitted", "inbox.enqueued"];

/** One prompt id, handed in again and again. */
export const samePromptId: Scenario = {
  name: "same-id",
  broken: [],
  async run(scene) {
    const { side, world } = scene;
    const session = await scene.session([{ text: "First." }, { text: "Second." }]);
    const other = await scene.session([]);
    const input = { id: `msg_oracle${crypto.randomUUID().replaceAll("-", "")}`, text: "Only once." };
    const prompt = (text = input.text, resume = true) => side.prompt(session, { ...input, text, resume });

    const first = await prompt(input.text, false);
    const repeated = await prompt(input.text, false);
    scene.note(
      "pending",
      "3.3",
      "The same id while it waits: the original admission comes back.",
      sameAdmission(first, repeated),
    );
    scene.note(
      "pending-other-text",
      "3.3",
      "The same id with another text.",
      verdictOf(await prompt("Something else.", false)),
    );
    scene.note(
      "other-session",
      "3.3",
      "The same id in another session.",
      verdictOf(await side.prompt(other, { ...input, resume: false })),
    );
    scene.noteEvents(
      "admitted",
      "3.3",
      "Events after all that, without being woken.",
      await side.log(session),
    );

    await prompt();
    await scene.settled(session, 1);
    const delivered = await prompt();
    scene.note(
      "delivered",
      "3.3",
      "The same id after its answer: the original admission comes back.",
      sameAdmission(first, delivered),
    );
    scene.note(
      "delivered-other-text",
      "3.3",
      "The same id after its answer, with another text.",
      verdictOf(await prompt("Something else.")),
    );
    // A second answer to the repeated prompt would come before the answer to this one.
    await scene.prompt(session, "Another one.");
    const events = await scene.settled(session, 2);
    scene.noteEvents("events", "3.3", "All events: one admission and one answer to each id.", events);
    scene.note(
      "admissions",
      "3.3",
      "Admissions in the log.",
      ADMITTED.flatMap((name) => named(events, name)).length,
    );
    scene.note("model-calls", "3.3", "Model calls.", world.asked(session).length);
    scene.note("shown", "3.3", "Which text the model was shown.", scene.shown(session, 1));
  },
};

/** Inputs that arrive while a tool is acting. */
export const whileBusy: Scenario = {
  name: "while-busy",
  broken: [],
  async run(scene) {
    const { world } = scene;
    const call = world.effectCall("call_a", "while-busy");
    const session = await scene.session([
      { calls: [call] },
      { text: "Recorded, and steered." },
      { text: "First in the queue." },
      { text: "Second in the queue." },
    ]);
    world.hold("while-busy");
    await scene.prompt(session, "Record it.");
    await world.until("the tool acts", () => world.effects("while-busy") === 1);
    await scene.prompt(session, "Queued first.", "queue");
    await scene.prompt(session, "Queued second.", "queue");
    await scene.prompt(session, "Steered.", "steer");
    world.open("while-busy");
    const events = await scene.settled(session, 3);
    scene.noteEvents("events", "7", "When inputs that arrive during a call are delivered.", events);
    for (const [number, what] of [
      [2, "after the call"],
      [3, "for the first queued input"],
      [4, "for the second queued input"],
    ] as const) {
      scene.note(`shown-${number}`, "7", `What the model is shown ${what}.`, scene.shown(session, number));
    }
  },
};

/** Nobody the session never heard of. */
export const unknownSession: Scenario = {
  name: "unknown-session",
  broken: [],
  async run(scene) {
    const { side } = scene;
    const note = scene.note.bind(scene);
    note(
      "prompt",
      "3.8",
      "A prompt to an unknown session.",
      verdictOf(await side.prompt("ses_nowhere", { text: "?" })),
    );
    note(
      "messages",
      "3.8",
      "The transcript of an unknown session.",
      verdictOf(await side.messages("ses_nowhere", {})),
    );
  },
};

/** The wrapped admission of 1.18 and the plain one, by what both carry. */
const Admission = z.object({
  id: z.string(),
  sessionID: z.string(),
  timeCreated: z.number(),
  delivery: z.string(),
});
const Wrapped = z.union([z.object({ data: Admission }).transform(({ data }) => data), Admission]);

function sameAdmission(first: Reply, again: Reply): string {
  if (!first.ok || !again.ok) return `${verdictOf(first)}, then ${verdictOf(again)}`;
  const [a, b] = [Wrapped.parse(first.value), Wrapped.parse(again.value)];
  return JSON.stringify(a) === JSON.stringify(b) ? "the original" : "another";
}
