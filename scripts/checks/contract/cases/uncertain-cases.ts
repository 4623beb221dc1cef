/**
 * Cases that assert nothing: they look at what a host does where published sources leave it open (host contract,
 * section 15). The other uncertain questions are answered on the way by the cases of certain rules.
 */
import type { SessionMessage } from "../../../../src/host/types/messages.ts";
import type { SessionInfo } from "../../../../src/host/types/session-types.ts";
import type { Plan } from "../bench-protocol.ts";
import type { Lab } from "../host-lab.ts";
import { type Case, calls, ofType, ROOT, says, tagOf, toolParts, within } from "./case.ts";

/** How long a call that was written out may take to start while the provider's stream is still open. */
const EARLY_START_MS = 400;

/** More messages than the published limit of a page. */
const MANY = 210;

/** Whether a turn works under the plan. */
async function works(lab: Lab, plan: Plan): Promise<boolean> {
  const subject = await lab.subject({ ...plan, script: [says("works")] });
  try {
    await subject.submit("go", { operationId: "op" });
    return (await subject.wait("op")).text === "works";
  } catch {
    return false;
  }
}

/** Those of the named things that hold, in words. */
const listed = (held: readonly [name: string, holds: boolean][], none: string) =>
  held.flatMap(([name, holds]) => (holds ? name : [])).join(" and ") || none;

export const uncertainCases: Case[] = [
  {
    name: "which forms of configuration it takes",
    answers: "form of `config`",
    section: "15, question 2",
    async run(lab, note) {
      const plain = await works(lab, {});
      const content = await works(lab, { configAsContent: true });
      const both = plain && content ? "both " : "";
      note(
        "form of `config`",
        both +
          listed(
            [
              ["a plain object", plain],
              ["`{content}`", content],
            ],
            "neither",
          ),
      );
    },
  },
  {
    name: "which fetch it uses",
    answers: "`fetch` option",
    section: "15, question 3",
    async run(lab, note) {
      const via = async (fetch: "option" | "global") => {
        const subject = await lab.subject({ fetch });
        await subject.submit("go", { operationId: "op" });
        await subject.wait("op");
        return (await subject.bench()).requests[0]?.via;
      };
      const given = (await via("option")) === "option" ? "taken" : "not taken";
      const otherwise = (await via("global")) === "global" ? "`globalThis.fetch`" : "something else";
      note("`fetch` option", `${given}; without it ${otherwise}`);
    },
  },
  {
    name: "which option of interrupt goes on with a pending steer",
    answers: "option of `interrupt`",
    section: "15, question 5",
    async run(lab, note) {
      const goesOn = async (option: "resume" | "continue") => {
        const subject = await lab.subject({ script: [calls("hold"), says("steered")] });
        await subject.client("sessions.prompt", { ...ROOT, id: "msg_1", text: "1" });
        await subject.until({ effects: 1 });
        await subject.client("sessions.prompt", { ...ROOT, id: "msg_2", text: "2" });
        await subject.outcome("sessions.interrupt", { ...ROOT, [option]: true });
        await subject.client("sessions.wait", ROOT);
        return ofType(await subject.messages(), "user").length === 2;
      };
      const [resume, going] = [await goesOn("resume"), await goesOn("continue")];
      note(
        "option of `interrupt`",
        listed(
          [
            ["`resume`", resume],
            ["`continue`", going],
          ],
          "neither",
        ),
      );
    },
  },
  {
    name: "which argument bounds a fork",
    answers: "argument of `fork`",
    section: "15, question 7",
    async run(lab, note) {
      const subject = await lab.subject();
      for (const id of ["a", "b"]) {
        await subject.submit(id, { operationId: id });
        await subject.wait(id);
      }
      const bounds = async (argument: "before" | "boundary") => {
        const fork = await subject.outcome("sessions.fork", { ...ROOT, [argument]: "msg_b" });
        if (!fork.ok) return false;
        const { id } = fork.value as SessionInfo;
        const copied = (await subject.client("sessions.context", { sessionID: id })) as SessionMessage[];
        return ofType(copied, "user").length === 1;
      };
      const [before, boundary] = [await bounds("before"), await bounds("boundary")];
      note(
        "argument of `fork`",
        listed(
          [
            ["`before`", before],
            ["`boundary`", boundary],
          ],
          "neither",
        ),
      );
    },
  },
  {
    name: "what becomes of child sessions at the next boot",
    answers: "child sessions at boot",
    section: "15, question 16",
    async run(lab, note) {
      const subject = await lab.subject({ script: [calls("hold")] });
      const child = { sessionID: "ses_child" };
      await subject.client("sessions.create", { id: "ses_child", parentID: "ses_root" });
      await subject.client("sessions.prompt", { ...child, text: "go" });
      await subject.until({ effects: 1 });
      const before = JSON.stringify(await subject.client("sessions.context", child));
      for (let boots = 0; boots < 2; boots++) {
        await subject.drop();
        await subject.touch();
      }
      const { boots, requests } = await subject.bench();
      const after = JSON.stringify(await subject.client("sessions.context", child));
      const claim = boots[2]?.claims.includes("ses_child") === true ? "claim kept" : "claim released";
      const more =
        requests.length > 1 ? "resumed" : after === before ? "nothing else" : "its messages changed";
      note(
        "child sessions at boot",
        `${claim}, ${more}`,
        `claims by boot: ${JSON.stringify(boots.map((b) => b.claims))}`,
      );
    },
  },
  {
    name: "when it starts a call that the provider has written out",
    answers: "when chat-completion calls are released",
    section: "15, question 17",
    async run(lab, note) {
      const subject = await lab.subject({ script: [{ ...calls("charge"), hold: "calls" }] });
      await subject.submit("go", { operationId: "op" });
      await subject.untilTypes("tool.input.started");
      const early = await within(EARLY_START_MS, subject.until({ effects: 1 }));
      await subject.open("model-1");
      await subject.wait("op");
      note("when chat-completion calls are released", early ? "as they come" : "at the end of the stream");
    },
  },
  {
    name: "what it does with a large tool output",
    answers: "large tool output",
    section: "15, question 18",
    async run(lab, note) {
      const subject = await lab.subject({ script: [calls("large")], plugins: ["large"] });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const state = toolParts(await subject.messages())[0]?.state;
      if (state?.status !== "completed") {
        note("large tool output", "the call fails", JSON.stringify(state).slice(0, 200));
        return;
      }
      const text = state.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      note(
        "large tool output",
        text.length >= 60_000 ? "passed on whole" : "cut",
        `${text.length} of 60000 characters`,
      );
    },
  },
  {
    name: "how many messages a page has at most",
    answers: "limit of a page",
    section: "15, question 19",
    async run(lab, note) {
      const subject = await lab.subject();
      await Promise.all(
        Array.from({ length: MANY }, () =>
          subject.client("sessions.prompt", { ...ROOT, text: "x", resume: false }),
        ),
      );
      await subject.submit("go", { operationId: "op", whenBusy: "steer" });
      await subject.wait("op");
      const page = await subject.outcome("message.list", { ...ROOT, limit: 1_000 });
      if (!page.ok) {
        note("limit of a page", `a higher one is refused: ${tagOf(page)}`);
        return;
      }
      const { length } = (page.value as { data: unknown[] }).data;
      note("limit of a page", length < MANY ? String(length) : `more than ${MANY}`);
    },
  },
  {
    name: "in which directory a session starts",
    answers: "default directory",
    section: "15, question 20",
    async run(lab, note) {
      const subject = await lab.subject();
      const { location } = (await subject.client("sessions.get", ROOT)) as SessionInfo;
      note("default directory", `\`${location.directory}\``);
    },
  },
  {
    name: "whether it asks the model for a title",
    answers: "title of a root session",
    section: "15, question 22",
    async run(lab, note) {
      const subject = await lab.subject();
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      await subject.quiet();
      const { titles } = await subject.bench();
      note("title of a root session", titles.length === 0 ? "no title call" : `${titles.length} title call`);
    },
  },
];
