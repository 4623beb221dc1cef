import { describe, expect, it } from "vitest";
import type { SubjectLink } from "../link/subject-link.ts";
import { isForController, Reset } from "../trace/resets.ts";
import { CONTROLLER_RESETS } from "./controller-resets.ts";

const subject = (answers: Partial<Record<keyof SubjectLink, () => Promise<unknown>>>) =>
  answers as unknown as SubjectLink;

it("has an entry for each reset that names the controller, and no other", () => {
  expect(Object.keys(CONTROLLER_RESETS).toSorted()).toEqual(Reset.options.filter(isForController).toSorted());
});

describe("abort", () => {
  const abort = (lost: boolean) =>
    CONTROLLER_RESETS.abort.perform(subject({ reset: async () => ({ lost, error: "seen" }) }), "op", null);

  it("is delivered when the request was lost with the object", async () => {
    expect(await abort(true)).toEqual({ delivered: true, error: "seen" });
  });

  it("is refused by an object that answers", async () => {
    expect(await abort(false)).toEqual({ delivered: false, error: "seen" });
  });
});

describe("client-disconnect", () => {
  const leave = (wait: () => Promise<unknown>) =>
    CONTROLLER_RESETS["client-disconnect"].perform(subject({ wait }), "op", null);

  it("is delivered with what the client saw as it left", async () => {
    const timeout = new Error("timeout");
    expect(await leave(() => Promise.reject(timeout))).toEqual({ delivered: true, error: timeout });
  });

  it("is refused when there was nothing to leave any more", async () => {
    expect(await leave(async () => ({ settled: true }))).toMatchObject({ delivered: false });
  });
});

it("stop-waiting is refused when the operation has settled", async () => {
  const stop = (settled: boolean) =>
    CONTROLLER_RESETS["stop-waiting"].perform(subject({ wait: async () => ({ settled }) }), "op", null);
  expect(await stop(false)).toEqual({ delivered: true, error: null });
  expect(await stop(true)).toMatchObject({ delivered: false });
});

it("interrupt is refused when nothing was under way", async () => {
  const interrupt = (aborted: boolean) =>
    CONTROLLER_RESETS.interrupt.perform(subject({ abort: async () => aborted }), "op", null);
  expect(await interrupt(true)).toEqual({ delivered: true, error: null });
  expect(await interrupt(false)).toMatchObject({ delivered: false });
});
