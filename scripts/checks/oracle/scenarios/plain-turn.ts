import type { Json } from "../observation.ts";
import { transcriptOf } from "../observed-transcript.ts";
import { named, type Scenario } from "../scene.ts";

/** Two questions, two answers, no tool. */
export const plainTurn: Scenario = {
  name: "plain-turn",
  broken: [],
  async run(scene) {
    const session = await scene.session([{ text: "Hello there." }, { text: "Hello again." }]);
    await scene.prompt(session, "Say hello.");
    const first = await scene.settled(session, 1);
    scene.noteEvents("events", "5.4", "Durable events of a turn without tools, in order.", first);
    const [ended] = named(first, "step.ended");
    scene.note("end", "5.2", "What the end of a step says of finish and tokens.", {
      finish: ended?.data.finish as Json,
      tokens: ended?.data.tokens as Json,
    });
    scene.note(
      "text",
      "6",
      "The text of the answer.",
      named(first, "text.ended").map(({ data }) => data.text as Json),
    );

    await scene.prompt(session, "Say it again.");
    const second = await scene.settled(session, 2);
    scene.noteEvents("next-events", "5.4", "Events of the next turn of the session.", second, first.length);
    scene.note("shown", "9.4", "What the model is shown in the second turn.", scene.shown(session, 2));
    scene.note("model-calls", "4.5", "Model calls of two turns, by purpose.", {
      turn: scene.world.asked(session).length,
      title: scene.world.asked(session, "title").length,
    });
    scene.noteTranscript(
      "transcript",
      "6",
      "The transcript, oldest first.",
      await transcriptOf(scene, session),
    );
  },
};
