import { transcriptOf } from "../observed-transcript.ts";
import { type Scenario, verdictOf } from "../scene.ts";

/** The user stops a session while its tool is acting, and later goes on. */
export const interruptInTool: Scenario = {
  name: "interrupt",
  broken: [],
  async run(scene) {
    const { world, side } = scene;
    const call = world.effectCall("call_a", "interrupt");
    const session = await scene.session([{ calls: [call] }, { text: "As you wish." }]);
    world.hold("interrupt");
    await scene.prompt(session, "Record it.");
    await world.until("the tool acts", () => world.effects("interrupt") === 1);
    scene.note(
      "reply",
      "3.5",
      "An interrupt in the middle of a call.",
      verdictOf(await side.interrupt(session)),
    );
    await scene.untilIdle(session);
    const stopped = await side.log(session);
    scene.noteEvents("events", "8", "Events up to the end of the interrupted execution.", stopped);
    scene.noteError("tool-error", "8", "How the call is settled.", stopped, "tool.failed");
    scene.noteError("step-error", "8", "How the step is settled.", stopped, "step.failed");
    scene.noteTranscript(
      "transcript",
      "6",
      "The transcript, oldest first.",
      await transcriptOf(scene, session),
    );
    await scene.prompt(session, "Go on without it.");
    await world.until("the model is asked again", () => world.asked(session).length === 2);
    await scene.untilIdle(session);
    const events = await side.log(session);
    scene.noteEvents("next-events", "8", "Events of the next turn.", events, stopped.length);
    scene.note("shown", "9.4", "What the model is shown then.", scene.shown(session, 2));
    world.open("interrupt");
  },
};
