/**
 * The notice board for whoever runs the trials: which of them have news since it last looked, so that it need not ask all
 * of them again and again. One object for all trials.
 *
 * It is a hint and no evidence. It lives in memory only: a reader that came from an earlier life is told so and looks at
 * everything; a notice that gets lost is found by the reader's own rounds.
 */
import { DurableObject } from "cloudflare:workers";
import type { Phase } from "../../src/trace/index.ts";
import type { NewsQuery, NewsResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import type { Env } from "./ledger-env.ts";
import { Wakeups } from "./wakeups.ts";

/** What a trial's ledger says: the phase it is in, and whether its status is worth a look. */
export type Notice = { readonly trial: string; readonly phase: Phase | null; readonly look: boolean };

/** Numbers of the last notice of a trial, and of its last one that is worth a look. */
type Entry = { readonly phase: Phase | null; readonly noticeNo: number; readonly lookNo: number };

export class RunnerBoard extends DurableObject<Env> {
  readonly #life = crypto.randomUUID();
  readonly #entries = new Map<string, Entry>();
  readonly #wakeups = new Wakeups();
  #lastNo = 0;

  post({ trial, phase, look }: Notice): void {
    this.#lastNo += 1;
    const before = this.#entries.get(trial);
    // In the order of their last notice, so that a reader's news are at the end.
    this.#entries.delete(trial);
    this.#entries.set(trial, {
      phase: phase ?? before?.phase ?? null,
      noticeNo: this.#lastNo,
      lookNo: look ? this.#lastNo : (before?.lookNo ?? 0),
    });
    this.#wakeups.wakeAll();
  }

  /** Answers at once when there is news, or when the reader knows another life than this one. */
  async read({ life, after, timeoutMs }: NewsQuery): Promise<NewsResponse> {
    if (life !== this.#life) return { life: this.#life, last: this.#lastNo, news: [] };
    if (this.#lastNo <= after) await this.#wakeups.sleep(timeoutMs, new AbortController().signal);
    const news = [...this.#entries].filter(([, { noticeNo }]) => noticeNo > after);
    return {
      life: this.#life,
      last: this.#lastNo,
      news: news.map(([trial, { phase, lookNo }]) => ({ trial, phase, look: lookNo > after })),
    };
  }
}
