/**
 * The checks to make when the real package is there (host contract, section 14), as far as no other rule makes them:
 * those with an `id` elsewhere are the rest of the eight.
 */
import { expect } from "vitest";
import { type Case, calls, from, ofType, says, toolParts, within } from "./case.ts";

/** Host contract, section 11.1, without the claim column, whose name is uncertain. */
const SESSION_COLUMNS = [
  ...[
    "id",
    "project_id",
    "workspace_id",
    "parent_id",
    "fork_session_id",
    "fork_boundary",
    "slug",
    "directory",
  ],
  ...["path", "title", "version", "share_url", "metadata", "cost", "tokens_input", "tokens_output"],
  ...[
    "tokens_reasoning",
    "tokens_cache_read",
    "tokens_cache_write",
    "revert",
    "permission",
    "agent",
    "model",
  ],
  ...["time_created", "time_updated", "time_idle", "time_viewed", "idle_outcome", "time_compacting"],
  ...["time_archived", "resume_attempts"],
];
const CLAIM_COLUMNS = ["time_suspended", "execution_claimed_at"];

/** Enough for the fifth retry at the published pace, which the older reading does not have. */
const RETRIES_WAIT_MS = 40_000;

export const checkCases: Case[] = [
  {
    id: "check-1",
    name: "has the published columns of a session, one of them the claim, and journals its migrations",
    section: "11.1, 11.3",
    async run(lab, note) {
      const subject = await lab.subject();
      await subject.touch();
      const { sessionColumns, migrations } = await subject.catalog();
      expect(sessionColumns).toEqual(expect.arrayContaining(SESSION_COLUMNS));
      const claims = sessionColumns.filter((column) => CLAIM_COLUMNS.includes(column));
      expect(claims).toHaveLength(1);
      expect(migrations).not.toEqual([]);
      const others = sessionColumns.filter((column) => ![...SESSION_COLUMNS, ...claims].includes(column));
      note(
        "claim column",
        `\`${claims[0]}\``,
        `further columns: ${others.join(", ") || "none"}; ${migrations.length} migrations, the last ${migrations.at(-1)}`,
      );
    },
  },
  {
    id: "check-2",
    name: "leaves the same log when it is aborted right after tool.called and right after the effect",
    section: "9.2, 9.3 rows 6 and 7",
    async run(lab) {
      const aborted = async (tool: "before-execute" | "after-execute") => {
        const subject = await lab.subject({
          script: [calls("charge", "c1"), calls("charge", "c2")],
          crashes: [{ tool }],
        });
        await subject.submitIntoCrash("go", { operationId: "op" });
        expect((await subject.recover("op", 3)).status).toBe("done");
        expect(toolParts(await subject.messages()).map((part) => [part.id, part.state.status])).toEqual([
          ["c1", "error"],
          ["c2", "completed"],
        ]);
        const { effects } = await subject.bench();
        return {
          effects: effects.map(({ callID }) => callID),
          resumed: from(await subject.types(), "synthetic"),
        };
      };
      const [before, after] = [await aborted("before-execute"), await aborted("after-execute")];
      expect(before.effects).toEqual(["c2"]);
      expect(after.effects).toEqual(["c1", "c2"]);
      const settled = ["synthetic", "execution.started", "tool.failed", "step.started"];
      expect(before.resumed.slice(0, 4)).toEqual(settled);
      // Of one step, the end of the stream and the result of the call may come in either order.
      expect(before.resumed.toSorted()).toEqual(after.resumed.toSorted());
    },
  },
  {
    id: "check-6",
    name: "retries a model that always answers 503, numbering its attempts, under one assistant id",
    section: "10.1",
    async run(lab, note) {
      const subject = await lab.subject({
        script: Array.from({ length: 20 }, () => ({ status: 503 })),
        delays: "published",
      });
      await subject.submit("go", { operationId: "op" });
      const gaveUp = await within(RETRIES_WAIT_MS, subject.untilTypes("execution.failed"));
      const scheduled = (await subject.log()).filter((item) => item.type === "session.retry.scheduled");
      const data = scheduled.map((item) => item.data as { attempt: number; at: number });
      const delays = scheduled.map((item, index) => (data[index]?.at ?? 0) - item.created);
      expect(data.map(({ attempt }) => attempt)).toEqual(data.map((_, index) => index + 1));
      expect(data.length).toBeGreaterThanOrEqual(4);
      expect(ofType(await subject.messages(), "assistant")).toHaveLength(1);
      const number = gaveUp ? String(data.length) : `at least ${data.length}`;
      const pace = Math.max(...delays) <= 10_000 ? "each after at most 10 s" : "some after more than 10 s";
      note("retries", `${number}, ${pace}`, `delays in ms: ${delays.join(", ")}`);
    },
  },
  {
    id: "check-8",
    name: "answers both when it boots with a turn that was cut off and an input in the inbox",
    section: "1.4, 9.1",
    async run(lab, note) {
      const subject = await lab.subject({ script: [calls("hold"), says("both")] });
      await subject.submit("1", { operationId: "op1" });
      await subject.until({ effects: 1 });
      await subject.submit("2", { operationId: "op2" });
      await subject.drop();
      // A run promotes at its start, so the resumed step has the waiting input already.
      expect(await subject.recover("op2", 2)).toMatchObject({ status: "done", text: "both" });
      expect(await subject.wait("op1")).toMatchObject({ status: "done" });
      const { boots } = await subject.bench();
      expect(boots[1]).toMatchObject({ claims: ["ses_root"], inbox: [{ id: "msg_op2" }] });
      // Only the sweep writes the notice: it leaves alone what a doorbell has started before it.
      const notices = ofType(await subject.messages(), "synthetic").length;
      note(
        "which of sweep and ring wins at boot",
        notices > 0 ? "the sweep" : "the ring",
        `${notices} notices`,
      );
    },
  },
];
