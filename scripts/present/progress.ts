/**
 * Where a run stands, on stderr: one line that is rewritten in a terminal; elsewhere plain lines, written when
 * something changed and not more often than every few seconds.
 */
import { createLogUpdate } from "log-update";
import { printable } from "../base/printable.ts";
import type { RunProgress } from "../run/run-plan.ts";
import type { Outlet } from "./page.ts";

type ProgressDisplay = {
  readonly show: (progress: RunProgress) => void;
  /** A line that stays. */
  readonly note: (text: string) => void;
  /** Removes the live line; nothing may be shown after it. */
  readonly stop: () => void;
};

const PLAIN_EVERY_MS = 5_000;

export function createProgress(stream: Outlet, env: NodeJS.ProcessEnv = process.env): ProgressDisplay {
  return stream.isTTY && env.CI === undefined && env.TERM !== "dumb" ? live(stream) : plain(stream);
}

function live(stream: Outlet): ProgressDisplay {
  const update = createLogUpdate(stream);
  return {
    show: (progress) => update(progressText(progress, stream.columns || 80)),
    note: (text) => update.persist(printable(text)),
    stop: () => {
      update.clear();
      update.done();
    },
  };
}

/** `now` is a parameter for tests. */
export function plain(
  stream: { write(text: string): unknown },
  now: () => number = Date.now,
): ProgressDisplay {
  let last = { text: "", stage: "", at: Number.NEGATIVE_INFINITY };
  return {
    show: (progress) => {
      // The time left changes with every look and is no news by itself.
      const text = progressText({ ...progress, leftMs: null });
      const due = progress.stage !== last.stage || now() - last.at >= PLAIN_EVERY_MS;
      if (text === last.text || !due) return;
      last = { text, stage: progress.stage, at: now() };
      stream.write(`${progressText(progress)}\n`);
    },
    note: (text) => void stream.write(`${printable(text)}\n`),
    stop: () => undefined,
  };
}

/**
 * For example `running · 3/15 ended · 12 running (quiet 10, reset 2) · about 38 s left`. In a narrower terminal the
 * counts are cut; the time left is not.
 */
export function progressText(progress: RunProgress, width = Number.POSITIVE_INFINITY): string {
  const { stage, total, queued, running, ended, phases, leftMs } = progress;
  const byPhase = Object.entries(phases)
    .sort(([, few], [, many]) => many - few)
    .map(([phase, count]) => `${phase} ${count}`)
    .join(", ");
  const parts = [
    stage,
    `${ended}/${total} ended`,
    ...(running === 0 ? [] : [`${running} running${byPhase === "" ? "" : ` (${byPhase})`}`]),
    ...(queued === 0 ? [] : [`${queued} waiting`]),
  ];
  const counts = parts.join(" · ");
  const left = leftMs === null ? "" : ` · about ${durationText(leftMs)} left`;
  const room = width - left.length;
  return (counts.length <= room ? counts : `${counts.slice(0, Math.max(0, room - 1))}…`) + left;
}

export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
