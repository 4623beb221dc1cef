import { describe, expect, test } from "vitest";
import { parseClaim } from "../trace/claim-text.ts";
import { KeySource, Policy } from "../trace/index.ts";
import { viewOf } from "./conversation.ts";
import { decide, PROBE_ANSWER, SUMMARY_ANSWER, TITLE_ANSWER } from "./decide.ts";
import type { CallConfig } from "./decision.ts";
import { operationPrompt, probePrompt } from "./prompt.ts";
import { ChatRequest } from "./request.ts";

const TOOLS = ["ledger_commit", "ledger_look_up"].map((name) => ({ type: "function", function: { name } }));
const PROMPT = { role: "user", content: operationPrompt({ action: "order-17", key: "k1" }) };
const NOTICE = { role: "user", content: "The server was restarted. Go on without repeating finished work." };

/** A call with its result, as a host sends them. */
function step(id: string, text: string, tool = "ledger_commit") {
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name: tool, arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: id, content: text },
  ];
}
const INTERRUPTED = '{"type":"aborted","message":"Tool execution interrupted: ledger_commit"}';
const RECEIPT = '{"receipt":"r1","effect":"e1","attempt":1,"deduplicated":false}';

function decisionFor(
  messages: unknown[],
  config: Partial<CallConfig> = {},
  request: Record<string, unknown> = { tools: TOOLS },
) {
  const view = viewOf(ChatRequest.parse({ model: "m", messages, ...request }));
  return decide(view, { call: 7, ordinal: 2, policy: "reissue", key: "scenario", intended: [], ...config });
}
const claimFor = (...args: Parameters<typeof decisionFor>) => {
  const decision = decisionFor(...args);
  return decision.kind === "answer" ? parseClaim(decision.text) : decision;
};
const commitOf = (key: string | null) => ({ kind: "call", tool: "ledger_commit", action: "order-17", key });

describe("at the start of a turn", () => {
  test("every policy commits the action of the prompt", () => {
    for (const policy of Policy.options) expect(decisionFor([PROMPT], { policy })).toEqual(commitOf("k1"));
  });

  test("the key is given only when keys come from the scenario", () => {
    expect(KeySource.options.map((key) => decisionFor([PROMPT], { key }))).toEqual([
      commitOf("k1"),
      commitOf(null),
      commitOf(null),
      commitOf(null),
    ]);
  });

  test("a restart notice after the prompt changes nothing", () => {
    expect(decisionFor([PROMPT, NOTICE])).toEqual(commitOf("k1"));
  });

  test("results of an earlier turn do not count", () => {
    const later = { role: "user", content: operationPrompt({ action: "order-18", key: null }) };
    expect(decisionFor([PROMPT, ...step("a", RECEIPT), later])).toEqual({
      kind: "call",
      tool: "ledger_commit",
      action: "order-18",
      key: null,
    });
  });

  test("a probe is answered in words", () => {
    expect(
      decisionFor([PROMPT, ...step("a", INTERRUPTED), { role: "user", content: probePrompt() }]),
    ).toEqual({
      kind: "answer",
      claim: { claim: "none", receipt: null },
      text: PROBE_ANSWER,
    });
  });

  test("a message that is no prompt is answered without a claim", () => {
    expect(claimFor([{ role: "user", content: "hello" }])).toEqual({ claim: "none", receipt: null });
  });
});

describe("after a result", () => {
  test("every policy claims the receipt of a successful commit", () => {
    for (const policy of Policy.options)
      expect(claimFor([PROMPT, ...step("a", RECEIPT)], { policy })).toEqual({
        claim: "committed",
        receipt: "r1",
      });
  });

  test("a receipt is claimed again when the host asks again after a restart", () => {
    expect(
      claimFor([PROMPT, ...step("a", RECEIPT), { role: "assistant", content: "Done." }, NOTICE]),
    ).toEqual({
      claim: "committed",
      receipt: "r1",
    });
  });

  test.each([
    ["not-committed", "409 attempt-rejected: the trial has ended"],
    ["not-committed", "Error: The attempt was rejected before the commit; it has no effect."],
    ["not-committed", "Unknown tool: ledger_commit"],
    ["not-committed", "Invalid tool input: action is missing"],
    ["unknown", "Network connection lost."],
    ["unknown", ""],
    ["unknown", '{"receipt":5}'],
    ["unknown", '{"receipt":"r1","error":"late"}'],
  ])("claims %s after the error %j", (claim, text) => {
    expect(claimFor([PROMPT, ...step("a", text)])).toEqual({ claim, receipt: null });
  });

  test("the newest result decides", () => {
    expect(claimFor([PROMPT, ...step("a", INTERRUPTED), ...step("b", RECEIPT)])).toEqual({
      claim: "committed",
      receipt: "r1",
    });
  });
});

describe("after an interruption", () => {
  const lost = [PROMPT, ...step("call_1_0", INTERRUPTED), NOTICE];

  test("reissue calls again with the same action and key", () => {
    expect(decisionFor(lost, { policy: "reissue" })).toEqual(commitOf("k1"));
  });

  test("new-key calls again with a key made from the call number", () => {
    expect(decisionFor(lost, { policy: "new-key" })).toEqual(commitOf("retry-7"));
    expect(decisionFor(lost, { policy: "new-key", key: "none" })).toEqual(commitOf(null));
  });

  test("give-up claims that the outcome is unknown", () => {
    expect(claimFor(lost, { policy: "give-up" })).toEqual({ claim: "unknown", receipt: null });
  });

  test("claim-success claims a commit without a receipt", () => {
    expect(claimFor(lost, { policy: "claim-success" })).toEqual({ claim: "committed", receipt: null });
  });

  test("look-up reads the ledger first", () => {
    expect(decisionFor(lost, { policy: "look-up" })).toEqual({
      kind: "call",
      tool: "ledger_look_up",
      action: "order-17",
      key: "k1",
    });
  });

  test("look-up claims what it finds", () => {
    const found = step("b", '{"found":true,"effects":[{"effect":"e1","receipt":"r9"}]}', "ledger_look_up");
    expect(claimFor([...lost, ...found], { policy: "look-up" })).toEqual({
      claim: "committed",
      receipt: "r9",
    });
  });

  test("look-up commits again when nothing is found", () => {
    const nothing = step("b", '{"found":false,"effects":[]}', "ledger_look_up");
    expect(decisionFor([...lost, ...nothing], { policy: "look-up" })).toEqual(commitOf("k1"));
  });

  test("look-up looks up again when the look-up itself is interrupted", () => {
    const again = step("b", "Tool execution interrupted: ledger_look_up", "ledger_look_up");
    expect(decisionFor([...lost, ...again], { policy: "look-up" })).toMatchObject({ tool: "ledger_look_up" });
  });
});

describe("requests that are no turn", () => {
  const noTools = {};

  test("a title request gets a title", () => {
    const messages = [{ role: "system", content: "You write a title for a conversation." }, PROMPT];
    expect(decisionFor(messages, {}, noTools)).toMatchObject({ kind: "answer", text: TITLE_ANSWER });
  });

  test("a compaction request gets a summary that cannot be taken for a prompt or a claim", () => {
    const messages = [PROMPT, { role: "user", content: "Summarize the conversation so far." }];
    expect(decisionFor(messages, {}, noTools)).toMatchObject({ kind: "answer", text: SUMMARY_ANSWER });
  });

  test("tools make it a turn whatever the instructions say", () => {
    expect(decisionFor([{ role: "system", content: "Titles and summaries." }, PROMPT])).toEqual(
      commitOf("k1"),
    );
  });

  test("a turn that may not call says what it knows", () => {
    expect(claimFor([PROMPT], {}, noTools)).toEqual({ claim: "not-committed", receipt: null });
    expect(claimFor([PROMPT, ...step("a", INTERRUPTED)], {}, { tools: TOOLS, tool_choice: "none" })).toEqual({
      claim: "unknown",
      receipt: null,
    });
  });
});
