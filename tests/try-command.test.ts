/** What `try` refuses before anything is started: one sentence each. Real agents: own-agent.waits.test.ts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { kit } from "./support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "recovery-kit-try-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, ".mcp.json"), "no list");

describe("try refuses", () => {
  it.each([
    [[], "required option '--agent <command>' not specified"],
    [["--agent", "no-such-agent --run"], "--agent: there is no program 'no-such-agent'"],
    [["--agent", "node 'agent.mjs"], "--agent: the quote ' has no end in: node 'agent.mjs"],
    [["--agent", " "], "--agent: give the command that starts the agent"],
    [["--agent", "node", "--state", "no-such-folder"], "--state: there is no folder 'no-such-folder'"],
    [["--agent", "node", "--state", "/"], "'/' holds the folder of temporary files"],
    [["--agent", "node", "--state", folder], `'.mcp.json' in '${folder}' is no list of MCP servers`],
    [["--agent", "node", "--prompt", " "], "--prompt: give the agent something to do"],
    [["--agent", "node", "--reset", "abort"], "Allowed choices are kill."],
    [
      ["--agent", "node", "--point", "model-request"],
      "Allowed choices are before-commit, after-commit, after-receipt.",
    ],
    [["--agent", "node", "--mcp", "sse"], "Allowed choices are stdio, http."],
    [["--agent", "node", "--timeout-ms", "5"], "Give a whole number from 1000 to 3600000."],
    [["--agent", "node", "--quiet-ms", "5"], "unknown option '--quiet-ms'"],
  ])("%j", async (args, sentence) => {
    const { code, stdout, stderr } = await kit("try", ...args, "--traces", folder);
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});
