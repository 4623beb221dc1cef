/**
 * Learns from the lab's notice board which trials to look at. The board is a hint: it may forget and it may be out of reach,
 * and then everything is to be looked at, as it is from time to time in any case.
 */
import { setTimeout as delay } from "node:timers/promises";
import { call, type Peer } from "../../src/link/call.ts";
import { NewsResponse } from "../../src/trace/protocol/ledger-protocol.ts";

export type News = {
  /** What the board says of trials. */
  readonly notices: NewsResponse["news"];
  /** Set when every open trial is to be looked at: whether the Workflow engine is to be asked about them too. */
  readonly round: { readonly workflows: boolean } | null;
};

/** How often everything is looked at, in ms: only to notice what no notice told. */
const ROUND_MS = 20_000;
/** Longest wait for a notice, in ms: whoever shows progress wants to count on. */
const WAIT_MS = 1_000;
/** How long to let further notices come together, in ms: many trials do the same thing at the same time. */
const GATHER_MS = 100;

export class NewsReader {
  readonly #controller: Peer;
  #life: string | null = null;
  #last = 0;
  #nextRoundAt = Date.now() + ROUND_MS;

  constructor(controller: Peer) {
    this.#controller = controller;
  }

  /** Resolves when there is news, and after a short while without; at once when `signal` is aborted. */
  async next(signal: AbortSignal): Promise<News> {
    await delay(GATHER_MS, undefined, { signal }).catch(() => undefined);
    const before = this.#life;
    const notices = await this.#read(signal).catch(() => null);
    if (signal.aborted) return { notices: [], round: null };
    const isDue = Date.now() >= this.#nextRoundAt;
    // Another life, or none that answers: the lab was restarted, and its Workflows may wait to be asked for.
    if (notices === null) this.#life = null;
    const isLost = this.#life === null || this.#life !== before;
    if (!isDue && !isLost) return { notices: notices ?? [], round: null };
    this.#nextRoundAt = Date.now() + ROUND_MS;
    return { notices: notices ?? [], round: { workflows: isDue || before !== null } };
  }

  async #read(signal: AbortSignal): Promise<NewsResponse["news"]> {
    const query = new URLSearchParams({
      life: this.#life ?? "",
      after: String(this.#last),
      timeoutMs: String(WAIT_MS),
    });
    const { life, last, news } = await call(this.#controller, "GET", `/news?${query}`, NewsResponse, {
      signal,
    });
    this.#life = life;
    this.#last = last;
    return news;
  }
}
