/** One scenario being played on one side: what it may wait for, and what it notes down. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Mutation } from "../../../src/host/stand-in/mutations.ts";
import { type LoggedEvent, labelsOf, nameOf, shownOf } from "./normalise.ts";
import type { EventLabel, Json, Observation } from "./observation.ts";
import type { Reply, Side } from "./sides/side.ts";
import type { Answer, World } from "./world.ts";

/** How often a log is read again while waiting; each condition has the world's patience as its limit. */
const POLL_MS = 100;
const PATIENCE_MS = 60_000;

export type Scenario = {
  readonly name: string;
  /** Rules that the stand-in breaks here, so that both sides can be compared in the rest. */
  readonly broken: readonly Mutation[];
  run(scene: Scene): Promise<void>;
};

export class Scene {
  readonly side: Side;
  readonly world: World;
  readonly observations: Observation[] = [];
  /** Every event that was compared, once. */
  readonly events = new Map<string, LoggedEvent>();
  readonly #scenario: string;

  constructor(scenario: string, side: Side, world: World) {
    this.#scenario = scenario;
    this.side = side;
    this.world = world;
  }

  async session(answers: readonly Answer[]): Promise<string> {
    const session = await this.side.createSession();
    this.world.script(session, answers);
    return session;
  }

  /** The side must accept it. */
  async prompt(session: string, text: string, delivery?: "steer" | "queue"): Promise<void> {
    const reply = await this.side.prompt(session, { text, ...(delivery === undefined ? {} : { delivery }) });
    if (!reply.ok) throw new Error(`The prompt was refused: ${reply.tag}`);
  }

  /** Until the session has come to the end of so many answers in all, and nothing runs. */
  async settled(session: string, turns: number): Promise<LoggedEvent[]> {
    await this.untilLog(
      session,
      `${turns} turns have ended`,
      (events) => events.filter(endsTurn).length >= turns,
    );
    await this.untilIdle(session);
    return this.side.log(session);
  }

  async untilIdle(session: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (await this.side.active(session)) {
      if (Date.now() > deadline) throw new Error(`The session did not come to rest on the ${this.side.name}`);
      await delay(POLL_MS);
    }
  }

  async untilLog(session: string, what: string, holds: (events: LoggedEvent[]) => boolean): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const events = await this.side.log(session);
      if (holds(events)) return;
      if (Date.now() > deadline)
        throw new Error(
          `Waited in vain until ${what}; the ${this.side.name} logged ${events.map(({ type }) => type).join(", ")}`,
        );
      await delay(POLL_MS);
    }
  }

  noteEvents(
    what: string,
    section: string,
    sentence: string,
    events: readonly LoggedEvent[],
    from = 0,
  ): void {
    for (const event of events) this.events.set(event.id, event);
    // Labels need the whole log, as an input's text stands where it was admitted.
    const found = { kind: "events", events: labelsOf(events).slice(from) } as const;
    this.observations.push({ rule: `${this.#scenario}.${what}`, sentence, section, found });
  }

  noteTranscript(what: string, section: string, sentence: string, messages: readonly EventLabel[]): void {
    const found = { kind: "events", events: messages } as const;
    this.observations.push({ rule: `${this.#scenario}.${what}`, sentence, section, found });
  }

  /** Type and message apart: one may agree where the other does not. */
  noteError(
    what: string,
    section: string,
    sentence: string,
    events: readonly LoggedEvent[],
    name: string,
  ): void {
    const { type, message } = errorOf(events, name);
    this.note(`${what}-type`, section, `${sentence} (type)`, type);
    this.note(`${what}-message`, section, `${sentence} (message)`, message);
  }

  note(what: string, section: string, sentence: string, value: Json): void {
    const found = { kind: "value", value } as const;
    this.observations.push({ rule: `${this.#scenario}.${what}`, sentence, section, found });
  }

  /** The conversation of the n-th turn request (from 1). */
  shown(session: string, number: number): string[] {
    const asked = this.world.asked(session)[number - 1];
    return asked === undefined ? ["never asked"] : shownOf(asked.request.messages, this.world.url);
  }
}

/** The last step of an answer, however it ended. */
export function endsTurn(event: LoggedEvent): boolean {
  const name = nameOf(event.type);
  return name === "step.failed" || (name === "step.ended" && event.data.finish !== "tool-calls");
}

export function named(events: readonly LoggedEvent[], name: string): LoggedEvent[] {
  return events.filter((event) => nameOf(event.type) === name);
}

/** What a side made of a call. */
export function verdictOf(reply: Reply): Json {
  return reply.ok ? "accepted" : reply.tag;
}

const Failure = z.looseObject({ error: z.looseObject({ type: z.string(), message: z.string() }) });

/** Of the first event of that name. */
export function errorOf(events: readonly LoggedEvent[], name: string): { type: string; message: string } {
  const failure = Failure.safeParse(named(events, name)[0]?.data);
  return failure.success ? failure.data.error : { type: "none", message: "none" };
}
