import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { anchored, configurationWith, startOf, wordsOf } from "./agent-command.ts";

describe("the words of a command line", () => {
  it.each([
    ["node agent.mjs", ["node", "agent.mjs"]],
    ["  node   agent.mjs  ", ["node", "agent.mjs"]],
    [`agent --say "two words" 'and "more"'`, ["agent", "--say", "two words", 'and "more"']],
    [`agent --say=\\"x\\" a\\ b ''`, ["agent", '--say="x"', "a b", ""]],
    ["agent $HOME | cat *", ["agent", "$HOME", "|", "cat", "*"]],
    [`agent '\\n'`, ["agent", "\\n"]],
  ])("of %j are split as a shell would, and nothing else of a shell is done", (line, words) => {
    expect(wordsOf(line, "--agent")).toEqual(words);
  });

  it.each([
    ["", "give the command that starts the agent"],
    ["   ", "give the command that starts the agent"],
    [`agent "x`, 'the quote " has no end in: agent "x'],
  ])("of %j are none, in one sentence", (line, sentence) => {
    expect(() => wordsOf(line, "--agent")).toThrow(`--agent: ${sentence}`);
  });
});

describe("a command that is started elsewhere", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "recovery-kit-words-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "agent.mjs"), "");

  it("has its program and the files that it names named from everywhere, and the rest as it is", () => {
    const path = join(folder, "agent.mjs");
    expect(anchored(["agent.mjs", "agent.mjs", "{prompt}", "other.mjs"], "/", "--agent", folder)).toEqual([
      path,
      "agent.mjs",
      "{prompt}",
      "other.mjs",
    ]);
    expect(anchored(["./agent.mjs", "agent.mjs"], folder, "--agent", "")).toEqual([path, path]);
  });

  it("is refused where there is no such program", () => {
    expect(() => anchored(["no-such-agent"], folder, "--agent", folder)).toThrow(
      "--agent: there is no program 'no-such-agent'",
    );
    expect(() => anchored(["./no-such-agent"], folder, "--agent", folder)).toThrow("there is no program");
  });
});

describe("what is started for a trial", () => {
  const agent = { state: null, prompt: "ask {state}", mcp: "stdio" } as const;
  const place = { state: "/s", config: "/s/.mcp.json" };

  it("has the placeholders filled once, and the prompt on standard input where no argument has it", () => {
    expect(startOf({ ...agent, argv: ["a", "-p={prompt}", "{mcp}"] }, place)).toEqual({
      program: "a",
      args: ["-p=ask {state}", "/s/.mcp.json"],
      input: "",
    });
    expect(startOf({ ...agent, argv: ["a", "{state}", "{other}"] }, place)).toEqual({
      program: "a",
      args: ["/s", "{other}"],
      input: "ask {state}",
    });
  });

  it("is told of the ledger beside the servers that it has", () => {
    const entry = { type: "http", url: "http://127.0.0.1:1/mcp/k" } as const;
    const written = configurationWith('{"mcpServers":{"mine":{"command":"x"}},"more":1}', entry);
    expect(JSON.parse(written)).toEqual({ mcpServers: { mine: { command: "x" }, ledger: entry }, more: 1 });
    expect(JSON.parse(configurationWith(null, entry))).toEqual({ mcpServers: { ledger: entry } });
    expect(() => configurationWith("[]", entry)).toThrow();
  });
});
