import { describe, expect, test } from "vitest";
import { parseClaim } from "../trace/claim-text.ts";
import { Policy, Script } from "../trace/index.ts";
import { viewOf } from "./conversation.ts";
import { decide, PROBE_ANSWER } from "./decide.ts";
import type { CallConfig } from "./decision.ts";
import { markedProbePrompt, taskPrompt, trialInPrompt } from "./prompt.ts";
import { ChatRequest } from "./request.ts";

const SCRIPT = Script.parse({
  prompt: "File an issue about the leak.",
  steps: [
    {
      call: "create_issue",
      arguments: { title: "leak" },
      changed: { title: "leak (again)" },
      lookUp: { call: "search_issues", arguments: { q: "leak" }, found: '"number"' },
    },
    { call: "notify", arguments: { to: "ops" } },
    { answer: "Filed." },
  ],
});
const TOOLS = ["create_issue", "crm__notify", "search_issues"];
const PROMPT = taskPrompt(SCRIPT.prompt, "t1");
const LOST = "The tool call was interrupted before it finished. It may or may not have taken effect.";
const RECEIPT = "r1-1b4e28ba-2fa1-41d2-883f-0016d3cca427";

/** A call with its result, as a client sends them. */
function shown(id: string, tool: string, text: string) {
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name: tool, arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: id, content: text },
  ];
}

function decisionFor(messages: unknown[], config: Partial<CallConfig> = {}, tools = TOOLS, more = {}) {
  const request = {
    model: "m",
    messages: [{ role: "user", content: PROMPT }, ...messages],
    tools: tools.map((name) => ({ type: "function", function: { name } })),
    ...more,
  };
  return decide(viewOf(ChatRequest.parse(request)), {
    ...{ call: 7, ordinal: 2, policy: "reissue", key: "none", script: SCRIPT },
    intended: [{ action: "issue", key: null, effects: 1 }],
    ...config,
  });
}
const callOf = (tool: string, given: object, action: string | null = "issue") => ({
  kind: "own-call",
  tool: { name: tool },
  arguments: given,
  action,
});
const claimOf = (decision: ReturnType<typeof decide>) =>
  decision.kind === "answer" ? parseClaim(decision.text).claim : decision;

describe("the steps of a script", () => {
  test("are taken in order, each after the one before succeeded, and the answer names the receipt that was shown", () => {
    const issue = shown("c1", "create_issue", JSON.stringify({ number: 1, node_id: RECEIPT }));
    const notified = shown("c2", "crm__notify", "sent");
    expect(decisionFor([])).toEqual(callOf("create_issue", { title: "leak" }));
    expect(decisionFor(issue)).toEqual(callOf("crm__notify", { to: "ops" }));
    const last = decisionFor([...issue, ...notified]);
    expect(last).toMatchObject({ kind: "answer", claim: { claim: "committed", receipt: RECEIPT } });
    expect(last.kind === "answer" && last.text).toMatch(/^Filed\./);
  });

  test("begin anew in a conversation that lost its calls", () => {
    expect(decisionFor([{ role: "user", content: "Go on." }])).toEqual(
      callOf("create_issue", { title: "leak" }),
    );
  });

  test("are not taken by a result of another tool", () => {
    expect(decisionFor(shown("c1", "read_file", "text"))).toEqual(callOf("create_issue", { title: "leak" }));
  });

  test.each([
    ["Error: rejected by the server", "not-committed"],
    ["Error: connect ECONNREFUSED", "unknown"],
  ])("end with a claim where a call failed: %s", (text, claim) => {
    expect(claimOf(decisionFor(shown("c1", "create_issue", text)))).toBe(claim);
  });

  test("end with a claim where the client allows no further call", () => {
    const none = { tool_choice: "none" };
    expect(claimOf(decisionFor([], {}, TOOLS, none))).toBe("not-committed");
    expect(claimOf(decisionFor(shown("c1", "create_issue", LOST), {}, TOOLS, none))).toBe("unknown");
  });

  test("succeed by the text that the script names, whatever else the result says", () => {
    const steps = [{ call: "create_issue", shows: "created" }];
    const script = Script.parse({ prompt: "p", steps });
    expect(claimOf(decisionFor(shown("c1", "create_issue", "created 'abort on error'"), { script }))).toBe(
      "committed",
    );
    expect(claimOf(decisionFor(shown("c1", "create_issue", "something"), { script }))).toBe("unknown");
  });
});

describe("a call whose result was lost", () => {
  const lost = shown("c1", "create_issue", LOST);
  const same = callOf("create_issue", { title: "leak" });

  test("is what the policy makes of it", () => {
    const decided = Policy.options.map((policy) => [policy, claimOf(decisionFor(lost, { policy }))]);
    expect(Object.fromEntries(decided)).toEqual({
      reissue: same,
      "new-key": callOf("create_issue", { title: "leak (again)" }),
      "look-up": callOf("search_issues", { q: "leak" }, null),
      "give-up": "unknown",
      "claim-success": "committed",
    });
  });

  test("is done where the look-up finds it, and made again where it does not", () => {
    const policy = "look-up";
    const found = shown("c2", "search_issues", '[{"number":1}]');
    expect(decisionFor([...lost, ...found], { policy })).toEqual(callOf("crm__notify", { to: "ops" }));
    expect(decisionFor([...lost, ...shown("c2", "search_issues", "[]")], { policy })).toEqual(same);
    expect(decisionFor([...lost, ...shown("c2", "search_issues", LOST)], { policy })).toEqual(
      callOf("search_issues", { q: "leak" }, null),
    );
  });
});

test("a tool that the agent does not offer is refused with those that it does", () => {
  expect(decisionFor([], {}, ["read_file"])).toEqual({
    kind: "refusal",
    code: "tool-not-offered",
    message: "the script calls 'create_issue', and the agent offers 'read_file'.",
  });
});

test("a prompt is known by its marker wherever an agent puts it", () => {
  const wrapped = `<user>${PROMPT} Thanks.</user>`;
  expect(trialInPrompt(JSON.stringify({ input: wrapped }))).toBe("t1");
  expect(trialInPrompt("[recovery-kit task ]")).toBeNull();
  expect(decisionFor([{ role: "user", content: wrapped }]).kind).toBe("own-call");
  const probe = { role: "user", content: `Hello. ${markedProbePrompt("t1")}` };
  expect(decisionFor([probe])).toMatchObject({ kind: "answer", text: PROBE_ANSWER });
});
