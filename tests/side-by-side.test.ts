/** Real commands at the same time. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { REPOSITORY } from "../scripts/base/repository.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function sideBySide(...commands: string[]) {
  const args = [join(REPOSITORY, "tests/side-by-side.ts"), ...commands];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
}

const until = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`;

it("starts all at once, and keeps the output of each together in their order", () => {
  // Each waits for the other.
  const { status, stdout } = sideBySide(
    `echo a; touch one; ${until("two")}; echo b`,
    `echo c; ${until("one")}; echo d >&2; touch two`,
  );
  expect(stdout).toBe("a\nb\nc\nd\n");
  expect(status).toBe(0);
});

it.each([
  ["exit 3", "true", 3],
  ["true", "exit 4", 4],
  ["exit 5", "exit 6", 5],
  ["kill -9 $$", "true", 1],
])("fails when one does: %s | %s", (first, second, code) => {
  expect(sideBySide(first, second).status).toBe(code);
});
