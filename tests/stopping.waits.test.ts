/**
 * What is left when a run is stopped, whatever stops it: a key in a real terminal, a closed terminal, SIGKILL. Each run has
 * a system temporary folder of its own, in which everything that it leaves would be seen.
 */
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { KIT, startKit } from "./support/kit.ts";
import {
  familyOf,
  hasProc,
  isListenedTo,
  portsOf,
  programOf,
  survivors,
  until,
} from "./support/processes.ts";
import { CTRL_C, hasTerminals, startInTerminal } from "./support/terminal.ts";

/** Three trials in three processes: the lab, the slot of those that are not killed, the slot of the one that is. */
const CONDITIONS = [
  "opencode/after-commit/abort/append/reissue",
  "opencode/after-commit/kill/append/reissue",
  "opencode/none/none/append/reissue",
].flatMap((name) => ["--condition", name]);

let temporary: string;
let traces: string;
beforeEach(async () => {
  const dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  [temporary, traces] = [join(dir, "temporary"), join(dir, "traces")];
  await mkdir(temporary);
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
});

const arguments_ = () => [
  "run",
  "recovery",
  "--host",
  "stand-in",
  ...CONDITIONS,
  "--run-id",
  "r1",
  "--traces",
  traces,
];
const environment = () => ({ TMPDIR: temporary });
/** What lies in the temporary folder, but for Node's compile cache, which is meant to stay. */
const leftIn = async () => (await readdir(temporary)).filter((name) => name !== "node-compile-cache");
/** Storage that a run keeps in memory lies there, beside that of other runs. */
const inMemory = () =>
  existsSync("/dev/shm") ? readdirSync("/dev/shm").filter((name) => name.startsWith("recovery-kit-")) : [];
/** Those of the given processes, by the files that they hold open. */
const inMemoryOf = (family: readonly { readonly pid: number }[]) =>
  inMemory().filter((name) =>
    family.some(({ pid }) =>
      readdirSync(`/proc/${pid}/fd`).some((fd) => openFile(pid, fd).startsWith(`/dev/shm/${name}/`)),
    ),
  );
const openFile = (pid: number, fd: string) => {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    // Closed meanwhile.
    return "";
  }
};
const workerds = (pid: number) => familyOf(pid).filter((one) => programOf(one.pid).includes("workerd"));

async function reasons(): Promise<unknown[]> {
  const names = (await readdir(join(traces, "r1"))).filter((name) => /^r1-\d+\.jsonl$/.test(name)).toSorted();
  const read = await Promise.all(names.map((name) => readTrace(join(traces, "r1", name))));
  expect(read.flatMap(({ problems }) => problems)).toEqual([]);
  return read
    .map(({ records }) => records.at(-1))
    .map((last) => (last?.type === "trial.ended" ? last.reason : last));
}
const ALL_CANCELLED = ["cancelled", "cancelled", "cancelled"];

describe.skipIf(!hasProc || !hasTerminals)("in a terminal", { timeout: 120_000 }, () => {
  it.each([
    ["the kit", [process.execPath, KIT]],
    ["npm", ["npm", "run", "--silent", "kit", "--"]],
  ])("Ctrl-C, pressed once while %s runs, exports the traces of all trials", async (_, program) => {
    const terminal = startInTerminal([...program, ...arguments_()], environment());
    await terminal.shows("quiet 2");
    const family = familyOf(terminal.pid);
    expect(workerds(terminal.pid)).toHaveLength(3);
    terminal.press(CTRL_C);
    const { code, shown } = await terminal.ended;
    expect(shown).toContain("Stopping: exporting what was recorded.");
    expect(shown).not.toContain("nothing to export");
    expect(code).toBe(130);
    expect(await reasons()).toEqual(ALL_CANCELLED);
    expect(survivors(family)).toEqual([]);
    expect(await leftIn()).toEqual([]);
  });

  it("Ctrl-C while the Workers are bundled ends the run, which leaves nothing", async () => {
    // Bundles that were made before are not made again: this run finds none.
    const without = { ...environment(), XDG_CACHE_HOME: join(traces, "..", "cache") };
    const terminal = startInTerminal([process.execPath, KIT, ...arguments_()], without);
    await terminal.shows("bundling");
    await until(() => familyOf(terminal.pid).some(({ pid }) => programOf(pid).includes("bundle-child")));
    const family = familyOf(terminal.pid);
    terminal.press(CTRL_C);
    const { code, shown } = await terminal.ended;
    expect(shown).toContain("Interrupted before anything was recorded.");
    expect(code).toBe(130);
    expect(survivors(family)).toEqual([]);
    expect(await leftIn()).toEqual([]);
    expect(await readdir(traces)).toEqual([]);
  });

  it("a second Ctrl-C ends a run that cannot export", async () => {
    const terminal = startInTerminal([process.execPath, KIT, ...arguments_()], environment());
    await terminal.shows("quiet 2");
    const family = familyOf(terminal.pid);
    // Stopped, none of them answers the export.
    for (const { pid } of workerds(terminal.pid)) process.kill(pid, "SIGSTOP");
    terminal.press(CTRL_C);
    await terminal.shows("Press Ctrl-C again to stop at once.");
    let ended = false;
    void terminal.ended.then(() => {
      ended = true;
    });
    // Until the second press counts as one of its own.
    while (!ended) {
      terminal.press(CTRL_C);
      await delay(100);
    }
    expect((await terminal.ended).code).toBe(130);
    await until(() => survivors(family).length === 0);
    await until(() => readdirSync(temporary).every((name) => name === "node-compile-cache"));
  });

  it("closing it exports the traces of all trials", async () => {
    const terminal = startInTerminal([process.execPath, KIT, ...arguments_()], environment());
    await terminal.shows("quiet 2");
    const family = familyOf(terminal.pid);
    terminal.close();
    await until(() => survivors(family).length === 0);
    expect(await reasons()).toEqual(ALL_CANCELLED);
    expect(await leftIn()).toEqual([]);
  });
});

describe.skipIf(!hasProc)("SIGKILL of the command line", { timeout: 120_000 }, () => {
  it("ends every process that it started, frees the ports and removes its folders", async () => {
    const running = startKit(arguments_(), { env: environment() });
    await running.says("quiet 2");
    const family = familyOf(running.child.pid ?? 0);
    const ports = portsOf(family.map(({ pid }) => pid));
    expect(workerds(running.child.pid ?? 0)).toHaveLength(3);
    expect(ports.length).toBeGreaterThanOrEqual(4);
    const own = inMemoryOf(family);
    running.child.kill("SIGKILL");
    await running.ended;
    await until(() => survivors(family).length === 0);
    await until(() => !ports.some(isListenedTo));
    await until(() => readdirSync(temporary).every((name) => name === "node-compile-cache"));
    await until(() => !inMemory().some((name) => own.includes(name)));
  });

  it("and of its keeper leaves what the doctor names and the next run clears away", async () => {
    const running = startKit(arguments_(), { env: environment() });
    await running.says("quiet 2");
    const family = familyOf(running.child.pid ?? 0);
    const own = inMemoryOf(family);
    const keeper = family.find(({ pid }) => programOf(pid).includes("keeper.ts"));
    process.kill(keeper?.pid ?? 0, "SIGKILL");
    running.child.kill("SIGKILL");
    await running.ended;
    expect(survivors(family)).toHaveLength(3);
    const [folder = ""] = await leftIn();

    const doctor = await startKit(["doctor"], { env: environment() }).ended;
    expect(doctor.stdout).toMatch(
      /^warn {2}leftovers +3 processes and 1 temporary folder of a killed command: /m,
    );
    expect(doctor.stdout).toContain(join(temporary, folder));
    expect(survivors(family)).toHaveLength(3);

    // Its folder was left locked by nobody: it is taken over. The port of this test is in use, so nothing is started.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const next = await startKit(["run", "--resume", "r1", "--traces", traces, "--port", port], {
      env: environment(),
    }).ended;
    expect(next.stderr).toContain(
      "Cleared away what a killed command had left: 3 processes and 1 temporary folder.\n",
    );
    expect(next.stderr).toContain(`port ${port} on 127.0.0.1 is in use`);
    expect(survivors(family)).toEqual([]);
    expect(await leftIn()).toEqual([]);
    expect(inMemory().filter((name) => own.includes(name))).toEqual([]);
  });
});
