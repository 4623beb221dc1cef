/**
 * Callers that go away while the ledger holds them: where the ledger can see it, and that it stays healthy where it
 * cannot. The cases that are not seen are limits of the runtime: when one of them fails, src/connections.ts is out of
 * date.
 */
import { connect, type Socket } from "node:net";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attemptBody, Trial } from "./support/ledger-client.ts";
import { bundleLedger, COMPATIBILITY, type Lab, SECRET, startLab } from "./support/ledger-lab.ts";
import { killWorkerd, workerdChildren } from "./support/processes.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

const AFTER = { point: "after-commit", occurrence: 1 } as const;
const BEFORE = { point: "before-commit", occurrence: 1 } as const;
const GONE = "the caller closed the connection";

/** An attempt over a socket of its own, so that the test decides how the connection ends. */
function attemptOverSocket(trial: Trial): Socket {
  const url = trial.address("attempts");
  const body = JSON.stringify(attemptBody());
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  socket.write(
    `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${SECRET}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/**
 * Waits until the ledger has seen another caller go that went only now. What it has not seen by then of an earlier
 * caller is not a matter of waiting longer.
 */
async function untilLaterResetIsSeen(name: string): Promise<void> {
  const trial = await new Trial(lab, name).start({ holds: [AFTER] });
  const socket = attemptOverSocket(trial);
  await trial.until("hold.reached");
  socket.resetAndDestroy();
  await trial.until("receipt.undeliverable");
}

describe("an HTTP client", () => {
  it("that resets its connection loses its withheld receipt, once", async () => {
    const trial = await new Trial(lab, "reset").start({ holds: [AFTER] });
    const socket = attemptOverSocket(trial);
    await trial.until("hold.reached");
    socket.resetAndDestroy();
    expect(await trial.until("receipt.undeliverable")).toMatchObject({ attempt: 1, detail: GONE });
    // The hold is still there to be released; the receipt is not.
    expect((await trial.status()).heldNow).toEqual([AFTER]);
    await trial.release(AFTER, "proceed");
    await trial.end();
    expect((await trial.types()).slice(5)).toEqual([
      "hold.reached",
      "receipt.undeliverable",
      "hold.released",
      "trial.ended",
    ]);
  });

  it("that resets its connection before the commit does not stop the late commit", async () => {
    const trial = await new Trial(lab, "reset-before").start({
      holds: [BEFORE, { point: "after-commit", occurrence: 2 }],
    });
    const first = attemptOverSocket(trial);
    await trial.until("hold.reached");
    first.resetAndDestroy();
    // Nothing is recorded for the first caller yet. A second one, reset later, shows that the first was noticed.
    const second = attemptOverSocket(trial);
    await trial.until("hold.reached", 2);
    second.resetAndDestroy();
    await trial.until("receipt.undeliverable");
    expect(await trial.release(BEFORE, "proceed")).toMatchObject({ effects: 2, openAttempts: [] });
    expect((await trial.records()).slice(-2)).toMatchObject([
      { type: "effect.committed", attempt: 1, effect: "e2" },
      { type: "receipt.undeliverable", attempt: 1, detail: GONE },
    ]);
  });

  it("that only closes its side is not seen to go: its receipt counts as sent when it proceeds", async () => {
    const trial = await new Trial(lab, "closed").start({ holds: [AFTER] });
    const socket = attemptOverSocket(trial);
    await trial.until("hold.reached");
    await new Promise<void>((resolve) => socket.once("close", () => resolve()).destroy());
    await untilLaterResetIsSeen("closed-later");
    await trial.release(AFTER, "proceed");
    expect((await trial.types()).slice(-2)).toEqual(["receipt.released", "receipt.sent"]);
  });
});

/** A Worker and an object of it that attempt through a service binding, as the subject does. */
const CALLER = `
import { DurableObject } from "cloudflare:workers";
const attempt = (env, { path, init }, signal) => env.LEDGER.fetch("https://ledger" + path, { ...init, signal });
export class Caller extends DurableObject {
  async fetch(request) {
    const job = await request.json();
    if (job.reset) { this.ctx.abort("reset by the test"); }
    return attempt(this.env, job);
  }
}
let controller;
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/abort") { controller.abort(); return new Response("aborted"); }
    const object = env.CALLER.get(env.CALLER.idFromName("caller"));
    if (pathname === "/reset") {
      await object.fetch("https://caller", { method: "POST", body: JSON.stringify({ reset: true }) }).catch(() => {});
      return new Response("reset");
    }
    const job = await request.json();
    if (pathname === "/object") return object.fetch("https://caller", { method: "POST", body: JSON.stringify(job) });
    controller = new AbortController();
    return attempt(env, job, controller.signal);
  },
};`;

const callerWorker = {
  name: "caller",
  modules: true as const,
  script: CALLER,
  ...COMPATIBILITY,
  durableObjects: { CALLER: { className: "Caller", useSQLite: true } },
};
const quiet = { host: "127.0.0.1", log: new Log(LogLevel.NONE) };
const jobFor = (trial: Trial) =>
  JSON.stringify({
    path: trial.address("attempts").pathname,
    init: {
      method: "POST",
      headers: { authorization: `Bearer ${SECRET}`, "content-type": "application/json" },
      body: JSON.stringify(attemptBody()),
    },
  });

/** Sends the caller Worker to attempt; its answer is of no interest. */
function sendCaller(base: URL, from: "worker" | "object", trial: Trial): void {
  fetch(new URL(`/${from}`, base), { method: "POST", body: jobFor(trial) }).catch(() => {});
}

const LEAVES = [
  ["worker", "abort", "whose Worker aborts its fetch"],
  ["object", "reset", "whose object is reset by ctx.abort()"],
] as const;

describe("a caller through a service binding in the same runtime", () => {
  let both: Miniflare;
  let base: URL;
  let inner: Lab;
  beforeAll(async () => {
    both = new Miniflare(
      convertV4MiniflareOptions({
        ...quiet,
        workers: [
          { ...callerWorker, serviceBindings: { LEDGER: "recovery-kit-ledger" } },
          {
            name: "recovery-kit-ledger",
            modules: true,
            script: await bundleLedger(),
            ...COMPATIBILITY,
            bindings: { KIT_SECRET: SECRET },
            durableObjects: {
              TRIAL_LEDGER: { className: "TrialLedger", useSQLite: true },
              RUNNER_BOARD: { className: "RunnerBoard", useSQLite: true },
            },
            unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
          },
        ],
      }),
    );
    base = await both.ready;
    const url = await both.unsafeGetDirectURL("recovery-kit-ledger");
    inner = { ...lab, url };
  });
  afterAll(() => both.dispose());

  it.each(LEAVES)("from a %s (%s), %s, is seen to go", async (from, leave) => {
    const trial = await new Trial(inner, `binding-${leave}`).start({ holds: [AFTER] });
    sendCaller(base, from, trial);
    await trial.until("hold.reached");
    await fetch(new URL(`/${leave}`, base));
    expect(await trial.until("receipt.undeliverable")).toMatchObject({ attempt: 1, detail: GONE });
    await trial.end();
    expect(await trial.types()).not.toContain("receipt.sent");
  });
});

describe("a caller through an external HTTP service binding from another process", () => {
  let caller: Miniflare;
  let base: URL;
  let processes: number[];
  beforeAll(async () => {
    const others = workerdChildren();
    caller = new Miniflare(
      convertV4MiniflareOptions({
        ...quiet,
        workers: [
          {
            ...callerWorker,
            serviceBindings: { LEDGER: { external: { address: lab.url.host, http: {} } } },
          },
        ],
      }),
    );
    base = await caller.ready;
    processes = workerdChildren().filter((pid) => !others.includes(pid));
  });
  afterAll(() => caller.dispose());

  it.each(LEAVES)("from a %s (%s), %s, is not seen to go, and nothing is guessed", async (from, leave) => {
    const trial = await new Trial(lab, `external-${leave}`).start({ holds: [AFTER] });
    sendCaller(base, from, trial);
    await trial.until("hold.reached");
    await fetch(new URL(`/${leave}`, base));
    await untilLaterResetIsSeen(`external-${leave}-later`);
    await trial.release(AFTER, "proceed");
    expect((await trial.types()).slice(-2)).toEqual(["receipt.released", "receipt.sent"]);
  });

  it("that is killed leaves the ledger healthy, with its attempts held until they are released", async () => {
    const dropped = await new Trial(lab, "killed-dropped").start({ holds: [AFTER] });
    const late = await new Trial(lab, "killed-late").start({ holds: [BEFORE] });
    for (const trial of [dropped, late]) {
      sendCaller(base, "worker", trial);
      await trial.until("hold.reached");
    }
    expect(processes).toHaveLength(1);
    await killWorkerd(processes[0]!);
    await untilLaterResetIsSeen("killed-later");

    expect(await dropped.status()).toMatchObject({ effects: 1, heldNow: [AFTER] });
    expect(await late.status()).toMatchObject({ effects: 0, openAttempts: [1], heldNow: [BEFORE] });
    expect(await dropped.attempt()).toMatchObject({ attempt: 2, effect: "e2" });
    await dropped.release(AFTER, "drop");
    expect((await dropped.types()).slice(-2)).toEqual(["hold.released", "receipt.undeliverable"]);
    expect(await late.attempt()).toMatchObject({ attempt: 2, effect: "e1" });
    expect(await late.release(BEFORE, "proceed")).toMatchObject({ effects: 2 });
    expect((await late.types()).slice(-2)).toEqual(["effect.committed", "receipt.sent"]);
  });
});
