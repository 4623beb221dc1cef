import { nameOf } from "../normalise.ts";
import type { Json } from "../observation.ts";
import { transcriptOf } from "../observed-transcript.ts";
import { named, type Scenario } from "../scene.ts";

/** One call and its result, without a word before it. */
export const toolTurn: Scenario = {
  name: "tool-turn",
  broken: [],
  async run(scene) {
    const { world, side } = scene;
    const call = world.effectCall("call_a", "tool-turn");
    const session = await scene.session([{ calls: [call] }, { text: "It is recorded." }]);
    world.hold("tool-turn");
    await scene.prompt(session, "Record it.");
    await world.until("the tool acts", () => world.effects("tool-turn") === 1);
    const acting = (await side.log(session)).map(({ type }) => nameOf(type));
    scene.note("while-acting", "9.5", "While the tool acts, its call is in the log and its result is not.", {
      called: acting.includes("tool.called"),
      result: acting.includes("tool.success"),
    });
    world.open("tool-turn");
    const events = await scene.settled(session, 1);
    scene.noteEvents("events", "5.4", "Durable events of a turn with one tool call, in order.", events);
    scene.note(
      "finishes",
      "6",
      "How its two steps finished.",
      named(events, "step.ended").map(({ data }) => data.finish as Json),
    );
    scene.note("input", "5.2", "The call's input is stored as the model wrote it.", {
      raw: named(events, "tool.input.ended").map(({ data }) => data.text === call.arguments),
      parsed: named(events, "tool.called").map(({ data }) => JSON.stringify(data.input) === call.arguments),
    });
    scene.note("shown", "9.4", "What the model is shown with the result.", scene.shown(session, 2));
    scene.noteTranscript(
      "transcript",
      "6",
      "The transcript, oldest first.",
      await transcriptOf(scene, session),
    );
  },
};

/** The model says something and then calls. */
export const textThenTool: Scenario = {
  name: "text-then-tool",
  broken: [],
  async run(scene) {
    const call = scene.world.effectCall("call_a", "text-then-tool");
    const session = await scene.session([{ text: "I will record it.", calls: [call] }, { text: "Done." }]);
    // 1.18 ends the text only when the stream ends, so the result must not come before.
    scene.world.hold("text-then-tool");
    await scene.prompt(session, "Record it and talk.");
    await scene.untilLog(session, "the words are stored", (log) => named(log, "text.ended").length === 1);
    scene.world.open("text-then-tool");
    const events = await scene.settled(session, 1);
    scene.noteEvents("events", "5.4", "Events when words come before the call.", events);
    scene.note("shown", "9.4", "What the model is shown with the result.", scene.shown(session, 2));
  },
};

/** Two calls in one answer, the second one settled first. */
export const twoCalls: Scenario = {
  name: "two-calls",
  broken: [],
  async run(scene) {
    const { world } = scene;
    const calls = [world.effectCall("call_a", "two-calls-a"), world.effectCall("call_b", "two-calls-b")];
    const session = await scene.session([{ calls }, { text: "Both are recorded." }]);
    world.hold("two-calls-a");
    world.hold("two-calls-b");
    await scene.prompt(session, "Record both.");
    const both = () => world.effects("two-calls-a") + world.effects("two-calls-b") === 2;
    await world.until("both tools act at once", both);
    scene.note("concurrent", "9.5", "The calls of one answer run at the same time.", both());
    world.open("two-calls-b");
    await scene.untilLog(
      session,
      "the second call is settled",
      (events) => named(events, "tool.success").length === 1,
    );
    world.open("two-calls-a");
    const events = await scene.settled(session, 1);
    scene.noteEvents("events", "9.5", "Events of two calls in one answer.", events);
    scene.note("shown", "9.4", "In which order the model is shown the results.", scene.shown(session, 2));
  },
};

/** Only how long a side is given to start a tool early; a side that never does costs this much. */
const EARLY_MS = 2_000;

/** The call is complete, but the provider's stream goes on. */
export const callBeforeStreamEnd: Scenario = {
  name: "open-stream",
  broken: [],
  async run(scene) {
    const { world } = scene;
    const call = world.effectCall("call_a", "open-stream");
    const session = await scene.session([
      { calls: [call], pauseBeforeFinish: "open-stream-finish" },
      { text: "Done." },
    ]);
    world.hold("open-stream-finish");
    await scene.prompt(session, "Record it slowly.");
    await scene.untilLog(
      session,
      "the call has begun",
      (events) => named(events, "tool.input.started").length === 1,
    );
    const early = await world
      .until("the tool acts", () => world.effects("open-stream") === 1, EARLY_MS)
      .then(
        () => true,
        () => false,
      );
    scene.note("early", "4.5", "A complete call is executed before the provider's stream has ended.", early);
    world.open("open-stream-finish");
    const events = await scene.settled(session, 1);
    scene.noteEvents("events", "9.5", "Events of that turn.", events);
  },
};
