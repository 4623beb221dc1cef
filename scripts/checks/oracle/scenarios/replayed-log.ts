import { nameOf } from "../normalise.ts";
import { pagesOf } from "../observed-transcript.ts";
import { named, type Scenario, verdictOf } from "../scene.ts";
import { isGapless } from "./crashed-turn.ts";

/** Reading the log by cursor, all of it, in parts, and live. */
export const replay: Scenario = {
  name: "replay",
  broken: [],
  async run(scene) {
    const { world, side } = scene;
    const call = world.effectCall("call_a", "replay");
    const session = await scene.session([{ calls: [call] }, { text: "Recorded." }, { text: "Live." }]);
    await scene.prompt(session, "Record it.");
    const events = await scene.settled(session, 1);
    const numbers = events.map(({ durable }) => durable.seq);
    const last = numbers.at(-1) ?? 0;
    scene.note("first", "5.1", "The first sequence number of the readable log.", numbers[0] ?? null);
    scene.note("gapless", "5.1", "Sequence numbers are contiguous.", isGapless(numbers));
    scene.note(
      "aggregate",
      "5.1",
      "Every event names its session as its aggregate.",
      events.every(({ durable }) => durable.aggregateID === session),
    );

    const rests = await Promise.all(numbers.map((after) => side.log(session, after)));
    const exclusive = rests.every(
      (rest, index) => JSON.stringify(rest) === JSON.stringify(events.slice(index + 1)),
    );
    scene.note(
      "exclusive",
      "3.6",
      "After any number come exactly the later events, the same as in the whole log.",
      exclusive,
    );
    scene.note("at-end", "3.6", "Events after the last one.", rests.at(-1)?.length ?? null);
    scene.note(
      "beyond",
      "3.6",
      "Events after a number that does not exist yet.",
      (await side.log(session, last + 100)).length,
    );
    scene.note(
      "repeatable",
      "3.6",
      "The same read again gives the same.",
      JSON.stringify(await side.log(session)) === JSON.stringify(events),
    );

    const followed = side.follow(session, last, "step.ended");
    await scene.prompt(session, "Go on, live.");
    const live = await followed;
    scene.note(
      "followed",
      "3.6",
      "A follower from the last number sees the next turn's events, each once and in order.",
      isGapless([last, ...live.flatMap(({ durable }) => (durable === undefined ? [] : [durable.seq]))]),
    );
    scene.note(
      "marker",
      "3.6",
      "What the follower gets that is no event of the session.",
      live.filter(({ durable }) => durable === undefined).map(({ type }) => nameOf(type)),
    );
    scene.note(
      "deltas",
      "5.3",
      "Text deltas in the log.",
      named(await scene.settled(session, 2), "text.delta").length,
    );

    const pages = await pagesOf(scene, session);
    scene.note(
      "pages",
      "3.2",
      "Pages of the transcript: every one that is not empty names a next one, and the last is empty.",
      {
        nextOnAllButLast: pages
          .slice(0, -1)
          .every(({ data, cursor }) => data.length > 0 && cursor.next != null),
        lastIsEmpty: pages.at(-1)?.data.length === 0,
      },
    );
    const cursor = pages[0]?.cursor.next ?? "";
    scene.note(
      "cursor-and-order",
      "3.2",
      "A cursor together with an order.",
      verdictOf(await side.messages(session, { cursor, order: "asc" })),
    );
    scene.note(
      "cursor",
      "3.2",
      "What a cursor holds.",
      Object.keys(JSON.parse(Buffer.from(cursor, "base64url").toString()) as object).sort(),
    );
    scene.note("order", "3.2", "The default order is newest first.", await newestFirst(scene, session));
  },
};

async function newestFirst({ side }: Parameters<Scenario["run"]>[0], session: string): Promise<string> {
  const [plain, descending] = await Promise.all([
    side.messages(session, {}),
    side.messages(session, { order: "desc" }),
  ]);
  if (!plain.ok || !descending.ok) return `${verdictOf(plain)}, ${verdictOf(descending)}`;
  return JSON.stringify(plain.value) === JSON.stringify(descending.value) ? "yes" : "no";
}
