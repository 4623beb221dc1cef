/** What the command line answers to questions about itself: real processes. */
import { expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { kit } from "./support/kit.ts";

it("tells its version", async () =>
  expect(await kit("--version")).toMatchObject({ code: 0, stdout: `${packageJson.version}\n` }));

it("'help <command>' is the command's own help", async () =>
  expect((await kit("help", "judge")).stdout).toBe((await kit("judge", "--help")).stdout));

it.each([[["nosuch"]], [["nosuch", "--help"]], [["help", "nosuch"]]])(
  "%j names the unknown command and ends in 2",
  async (args) => {
    const { code, stderr } = await kit(...args);
    expect(stderr).toContain("unknown command 'nosuch'");
    expect(code).toBe(2);
  },
);
