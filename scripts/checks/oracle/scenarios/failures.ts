import { transcriptOf } from "../observed-transcript.ts";
import { errorOf, type Scenario } from "../scene.ts";

/** A name that no tool has. */
export const unknownTool: Scenario = {
  name: "unknown-tool",
  broken: [],
  async run(scene) {
    const calls = [{ id: "call_a", name: "no_such_tool", arguments: "{}" }];
    const session = await scene.session([{ calls }, { text: "There is no such tool." }]);
    await scene.prompt(session, "Use a tool that is not there.");
    const events = await scene.settled(session, 1);
    scene.noteEvents("events", "4.2", "Events around a call of an unknown tool.", events);
    scene.noteError("error", "10.4", "How the call is settled.", events, "tool.failed");
    scene.note("shown", "9.4", "What the model is shown of it.", scene.shown(session, 2));
  },
};

/** Arguments that are not JSON. */
export const badArguments: Scenario = {
  name: "bad-arguments",
  broken: [],
  async run(scene) {
    const calls = [{ id: "call_a", name: "bash", arguments: '{"command": oops}' }];
    const session = await scene.session([{ calls }, { text: "I wrote nonsense." }]);
    await scene.prompt(session, "Write nonsense.");
    const events = await scene.settled(session, 1);
    scene.noteEvents("events", "9.5", "Events around a call whose arguments are not JSON.", events);
    scene.noteError("error", "10.4", "How the call is settled.", events, "tool.failed");
    const transcript = await transcriptOf(scene, session);
    scene.noteTranscript("transcript", "6", "The transcript, oldest first.", transcript);
  },
};

/** The provider refuses for good; the next prompt works. */
export const refusedByProvider: Scenario = {
  name: "provider-refusal",
  broken: [],
  async run(scene) {
    const session = await scene.session([{ status: 401 }, { text: "Here I am." }]);
    await scene.prompt(session, "Are you there?");
    const first = await scene.settled(session, 1);
    scene.noteEvents("events", "10.1", "Events when the provider answers 401.", first);
    scene.note("requests", "10.1", "How often the provider was asked.", scene.world.asked(session).length);
    scene.note("error-type", "10.4", "The type of the step's failure.", errorOf(first, "step.failed").type);
    await scene.prompt(session, "And now?");
    const second = await scene.settled(session, 2);
    scene.noteEvents("next-events", "5.4", "Events of the next turn.", second, first.length);
    scene.note("shown", "9.4", "What the model is shown after the refusal.", scene.shown(session, 2));
  },
};
