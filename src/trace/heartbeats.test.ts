import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { HARNESS_HEARTBEAT_MS } from "./heartbeats.ts";

it.each(["opencode", "think", "ai-sdk"])("the heartbeat is the one of agents' %s harness", (harness) => {
  const path = `node_modules/agents/dist/harness/${harness}/index.js`;
  const [, written] = /^const HEARTBEAT_MS = (\S+);$/m.exec(readFileSync(path, "utf8")) ?? [];
  expect(Number(written)).toBe(HARNESS_HEARTBEAT_MS);
});
