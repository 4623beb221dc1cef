/** The notice board: it tells a reader which trials have news, and admits it when it cannot know what the reader has seen. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { NewsResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import { phase, Trial } from "./support/ledger-client.ts";
import { type Lab, SECRET, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

async function read(life: string, after: number, timeoutMs = 20_000): Promise<NewsResponse> {
  const query = new URLSearchParams({ life, after: String(after), timeoutMs: String(timeoutMs) });
  const answer = await fetch(new URL(`/news?${query}`, lab.url), {
    headers: { authorization: `Bearer ${SECRET}` },
  });
  return NewsResponse.parse(await answer.json());
}

/** Reads on until `trial` is among the news. */
async function newsOf(trial: string, life: string, after: number) {
  for (let from = after; ; ) {
    const { last, news } = await read(life, from);
    const found = news.find((one) => one.trial === trial);
    if (found !== undefined) return { last, found };
    from = last;
  }
}

it("answers a waiting reader as soon as a trial begins, enters a phase, asks for something or ends", async () => {
  const { life, last } = await read("", 0);
  const trial = new Trial(lab, "told");
  const [begun] = await Promise.all([newsOf("told", life, last), trial.start()]);
  expect(begun.found).toEqual({ trial: "told", phase: null, look: true });

  await trial.append("p", phase("prepare"));
  const entered = await newsOf("told", life, begun.last);
  expect(entered.found).toEqual({ trial: "told", phase: "prepare", look: false });

  await trial.append("r", { source: "controller", type: "reading.requested", when: "quiet", because: 1 });
  const asked = await newsOf("told", life, entered.last);
  expect(asked.found).toEqual({ trial: "told", phase: "prepare", look: true });

  await trial.end();
  expect((await newsOf("told", life, asked.last)).found.look).toBe(true);
});

it("is silent about records that nobody who runs trials acts on", async () => {
  const { life, last } = await read("", 0);
  const trial = await new Trial(lab, "silent").start();
  const begun = await newsOf("silent", life, last);
  const reset = { source: "controller", type: "reset.requested", ordinal: 1, activation: null } as const;
  await trial.append("controller's own", { ...reset, reset: "abort" });
  await trial.append("runner's", { ...reset, reset: "kill" });
  const { news, last: next } = await read(life, begun.last);
  expect({ news, notices: next - begun.last }).toEqual({
    news: [{ trial: "silent", phase: null, look: true }],
    notices: 1,
  });
});

it("tells a reader of an earlier life where to go on, and nothing else", async () => {
  const { life, last } = await read("", 0);
  await new Trial(lab, "before").start();
  await newsOf("before", life, last);
  await lab.stop();
  await lab.start();
  const fresh = await read(life, last);
  expect(fresh).toMatchObject({ last: 0, news: [] });
  expect(fresh.life).not.toBe(life);
});
