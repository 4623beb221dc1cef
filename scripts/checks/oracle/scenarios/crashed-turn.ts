/**
 * The host dies in the middle of a tool call: SIGKILL of the server, `ctx.abort()` of the stand-in's object. The
 * effect has happened, its result never arrived.
 */

import { findBreach } from "../../../../src/model/strictness.ts";
import { readOutcome } from "../../../../src/model/told-outcome.ts";
import { nameOf } from "../normalise.ts";
import { transcriptOf } from "../observed-transcript.ts";
import { endsTurn, type Scenario, type Scene } from "../scene.ts";

/** How long a host that came back is watched before it is said not to resume by itself. */
const QUIET_MS = 5_000;

/** Crashes in the tool; the session and its log as the crash left it. */
async function crashInTool(scene: Scene, effect: string) {
  const { world, side } = scene;
  const session = await scene.session([
    { calls: [world.effectCall("call_a", effect)] },
    { calls: [world.effectCall("call_b", effect)] },
    { text: "It is recorded." },
    { text: "Still here." },
  ]);
  world.hold(effect);
  await scene.prompt(session, "Record it.");
  await world.until("the tool acts", () => world.effects(effect) === 1);
  await side.restart();
  const resumes = await world
    .until("the model is asked again", () => world.asked(session).length > 1, QUIET_MS)
    .then(
      () => true,
      () => false,
    );
  // The second call shall get its result.
  world.open(effect);
  return { session, resumes };
}

function noteRecovery(scene: Scene, session: string, effect: string): void {
  const messages = scene.world.asked(session)[1]?.request.messages ?? [];
  const result = messages.find((message) => message.role === "tool")?.content ?? "";
  scene.note(
    "shown",
    "9.4",
    "What the model is shown in the first request after the crash.",
    scene.shown(session, 2),
  );
  scene.note(
    "roles",
    "9.4",
    "The roles of that conversation.",
    messages.map(({ role }) => role),
  );
  scene.note("result", "9.4", "The result that it is shown for the lost call.", result);
  scene.note(
    "reading",
    "9.4",
    "How the kit's scripted model reads that result, were it a ledger call's.",
    readOutcome("ledger_commit", result).kind,
  );
  scene.note(
    "legal",
    "9.4",
    "What the kit's scripted model finds wrong with that conversation.",
    findBreach(messages)?.code ?? "nothing",
  );
  scene.note(
    "effects",
    "9.3",
    "Effects of the one intended action, with a model that calls again.",
    scene.world.effects(effect),
  );
}

/** The host as it is. */
export const crashRecovery: Scenario = {
  name: "crash",
  broken: [],
  async run(scene) {
    const { side } = scene;
    const { session, resumes } = await crashInTool(scene, "crash");
    scene.note("resumes", "9.1", "The work goes on after a restart without being asked.", resumes);
    if (resumes) await scene.settled(session, 1);
    const alone = await side.log(session);
    const called = alone.findIndex(({ type }) => nameOf(type) === "tool.called");
    scene.noteEvents("before", "9.5", "Events up to the call that was lost.", alone.slice(0, called + 1));
    scene.noteEvents("alone", "9.2", "Events that the restarted host writes by itself.", alone, called + 1);
    await scene.prompt(session, "Are you there?");
    const events = await scene.settled(session, resumes ? 2 : 1);
    scene.noteEvents("prompted", "9.2", "Events after the next prompt.", events, alone.length);
    scene.note(
      "sequence",
      "5.1",
      "Sequence numbers go on across the crash without a gap.",
      isGapless(events.map(({ durable }) => durable.seq)),
    );
    scene.note(
      "lost-results",
      "9.3",
      "Results of the lost call in the log: the host does not run it again.",
      events.filter(
        (event) => nameOf(event.type) === "tool.success" && JSON.stringify(event.data).includes("call_a"),
      ).length,
    );
    noteRecovery(scene, session, "crash");
  },
};

/** The stand-in without its boot sweep, so that on both sides the next prompt is what settles the lost call. */
export const crashWithoutSweep: Scenario = {
  name: "crash-doorbell",
  broken: ["noBootSweep"],
  async run(scene) {
    const { side } = scene;
    const { session } = await crashInTool(scene, "crash-doorbell");
    scene.noteTranscript(
      "left",
      "9.3",
      "The transcript as the crash left it.",
      await transcriptOf(scene, session),
    );
    const before = await side.log(session);
    await scene.prompt(session, "Are you there?");
    await scene.untilLog(session, "the turn has ended", (events) => events.some(endsTurn));
    await scene.untilIdle(session);
    const events = await side.log(session);
    scene.noteEvents("events", "9.2", "Events from the next prompt on.", events, before.length);
    scene.noteError("error", "9.2", "How the lost call is settled.", events, "tool.failed");
    scene.noteTranscript(
      "transcript",
      "6",
      "The transcript afterwards, oldest first.",
      await transcriptOf(scene, session),
    );
    noteRecovery(scene, session, "crash-doorbell");
  },
};

export function isGapless(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1);
}
