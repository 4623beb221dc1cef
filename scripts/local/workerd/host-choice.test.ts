import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOST_IDENTITY } from "../../../src/host/stand-in/identity.ts";
import { UserError } from "../../base/user-error.ts";
import { chooseHost } from "./host-choice.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function install(name: string, version: string): Promise<void> {
  const folder = join(root, "node_modules", name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, version }));
}

describe("the host of a run", () => {
  it("is the stand-in under its own name and version while the SDK is not whole, and says what is missing", async () => {
    await install("@opencode/sdk", "2.0.24");
    expect(chooseHost("auto", root)).toEqual({
      ...HOST_IDENTITY,
      reason: "@opencode/plugin not installed",
    });
  });

  it("is the SDK when both packages are there", async () => {
    await install("@opencode/sdk", "2.0.24");
    await install("@opencode/plugin", "2.0.25");
    const sdk = { kind: "sdk", name: "@opencode/sdk", version: "2.0.24" };
    expect(chooseHost("auto", root)).toMatchObject({ ...sdk, reason: "both packages are installed" });
    expect(chooseHost("sdk", root)).toMatchObject({ ...sdk, reason: "asked for with --host sdk" });
  });

  it("is the stand-in when it is asked for, even with the SDK there", async () => {
    await install("@opencode/sdk", "2.0.24");
    await install("@opencode/plugin", "2.0.24");
    expect(chooseHost("stand-in", root)).toMatchObject({
      ...HOST_IDENTITY,
      reason: "asked for with --host stand-in",
    });
  });

  it("is never another than the one that was asked for", () => {
    expect(() => chooseHost("sdk", root)).toThrow(UserError);
    expect(() => chooseHost("sdk", root)).toThrow("@opencode/sdk and @opencode/plugin are not installed");
  });
});
