import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { AttemptRequest, LookUpRequest } from "../trace/protocol/ledger-protocol.ts";
import { answerOf } from "./answer.ts";
import { viewOf } from "./conversation.ts";
import { decide } from "./decide.ts";
import type { CallConfig } from "./decision.ts";
import { followUpPrompt, operationPrompt } from "./prompt.ts";
import { ChatRequest } from "./request.ts";
import { ledgerToolIn, shellAmong } from "./shell-call.ts";

const SECRET = "the secret of this run";
const ENVIRONMENT = {
  KIT_LEDGER_URL: "http://127.0.0.1:1",
  KIT_SECRET: SECRET,
  KIT_ACTIVATION: "activation-1",
  KIT_GENERATION: "2",
};
/** Stands in for curl and shows what it is given: first its standard input, then each argument. */
const CURL = "curl() { cat; printf '%s\\n' \"$@\"; }";

const tool = (name: string) => ({ type: "function", function: { name } });
const CONFIG: CallConfig = { call: 3, ordinal: 3, policy: "look-up", key: "scenario", intended: [] };

function turn(messages: unknown[], config: Partial<CallConfig> = {}, session: string | null = "ses_1") {
  const request = ChatRequest.parse({ model: "m", messages, tools: [tool("read"), tool("bash")] });
  const view = viewOf(request);
  const whole = { ...CONFIG, ...config };
  const decision = decide(view, whole);
  if (decision.kind === "refusal") throw new Error(decision.message);
  return answerOf(decision, view, whole, 10, { trial: "trial-1", session });
}

/** What curl gets when a real shell runs the command of a call. */
function run(answer: ReturnType<typeof turn>) {
  const input = JSON.parse(answer.toolCall?.arguments ?? "{}") as { command: string };
  const { stdout } = spawnSync("/bin/sh", ["-c", `${CURL}; ${input.command}`], {
    env: ENVIRONMENT,
    encoding: "utf8",
  });
  const lines = stdout.trimEnd().split("\n");
  return {
    config: lines[0],
    body: JSON.parse(lines[lines.indexOf("--data-binary") + 1] ?? "null") as unknown,
    url: lines.at(-1),
  };
}

const prompt = (action: string, key: string | null) => ({
  role: "user",
  content: operationPrompt({ action, key }),
});

describe("a commit through a shell", () => {
  test("becomes the attempt that a ledger tool would make, as far as a shell knows", () => {
    const { config, body, url } = run(turn([prompt("order-17", "k1")]));
    expect(config).toBe(`header = "authorization: Bearer ${SECRET}"`);
    expect(url).toBe("http://127.0.0.1:1/trials/trial-1/attempts");
    expect(AttemptRequest.parse(body)).toEqual({
      action: "order-17",
      key: "k1",
      payload: "record order-17",
      activation: "activation-1",
      generation: 2,
      session: "ses_1",
      message: "unknown",
      call: "call_3_0",
    });
  });

  test("says that it does not know its session when the request did not name it", () => {
    expect(run(turn([prompt("order-17", null)], {}, null)).body).toMatchObject({ session: "unknown" });
  });

  test.each([
    ["scenario", "k1"],
    ["call-id", "call_3_0"],
    ["none", null],
  ] as const)("takes its key from '%s' as a ledger tool does", (key, expected) => {
    expect(run(turn([prompt("order-17", "k1")], { key })).body).toMatchObject({ key: expected });
  });

  test("passes a key through the shell unchanged", () => {
    const key = `it's "quoted" $KIT_SECRET \`id\` \\ end`;
    expect(run(turn([prompt("order-17", key)])).body).toMatchObject({ key });
  });

  test("holds no secret, and is recorded with the shell's name and the action", () => {
    const { toolCall, record } = turn([prompt("order-17", "k1")]);
    expect(toolCall?.name).toBe("bash");
    expect(JSON.stringify([toolCall, record])).not.toContain(SECRET);
    expect(record.toolCalls).toEqual([{ call: "call_3_0", tool: "bash", action: "order-17", key: "k1" }]);
  });
});

describe("a shell's result", () => {
  const call = () => turn([prompt("order-17", "k1")]).toolCall;
  const history = (result: string, made = call()) => [
    prompt("order-17", "k1"),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: made?.id, function: { name: made?.name, arguments: made?.arguments } }],
    },
    { role: "tool", tool_call_id: made?.id, content: result },
  ];

  test("is read as the ledger's", () => {
    const receipt =
      '{"attempt":1,"effect":"e1","receipt":"r1","deduplicated":false}\nCommand exited with code 0.';
    expect(turn(history(receipt)).text).toContain('{"claim":"committed","receipt":"r1"}');
  });

  test("that was interrupted sets off the policy, also when a later prompt only asks to go on", () => {
    const interrupted = history('{"error":{"type":"unknown","message":"Tool execution interrupted"}}');
    const { body, url } = run(turn([...interrupted, { role: "user", content: followUpPrompt() }]));
    expect(url).toBe("http://127.0.0.1:1/trials/trial-1/look-ups");
    expect(LookUpRequest.parse(body)).toEqual({
      action: "order-17",
      key: "k1",
      activation: "activation-1",
      session: "ses_1",
      call: "call_3_0",
    });
  });

  test("of a look-up is read as the ledger's too", () => {
    const lookUp = turn(history("Tool execution interrupted")).toolCall;
    const found = '{"found":true,"effects":[{"effect":"e1","receipt":"r1"}]}';
    expect(turn(history(found, lookUp)).text).toContain('{"claim":"committed","receipt":"r1"}');
  });

  test("of another command is not", () => {
    expect(ledgerToolIn("bash", '{"command":"ls /attempts"}')).toBeNull();
    expect(ledgerToolIn("bash", "not JSON")).toBeNull();
    expect(ledgerToolIn("read", "{}")).toBeNull();
  });
});

test("a shell is used only where there is no ledger tool", () => {
  expect(shellAmong(["read", "bash"])).toBe("bash");
  expect(shellAmong(["bash", "ledger_commit"])).toBeNull();
  expect(shellAmong(["read"])).toBeNull();
});
