import { describe, expect, it } from "vitest";
import { Reset, takesProcess } from "../../../src/trace/resets.ts";
import { type ProcessWitness, resetProcess } from "./process-resets.ts";
import type { ProcessEnd, SubjectProcess } from "./subject-process.ts";

/** A process that notes what is done to it and gets the next pid whenever it starts. */
function processOf(signalOnShutDown: string, canRedeploy = true) {
  const calls: string[] = [];
  let pid = 1;
  const end = async (what: string, signal: string | null): Promise<ProcessEnd> => {
    calls.push(what);
    return { pid, exitCode: null, signal };
  };
  const process: SubjectProcess = {
    get pid() {
      return pid;
    },
    start: async () => {
      calls.push("start");
      pid += 1;
    },
    kill: () => end("kill", "SIGKILL"),
    shutDown: () => end("shutDown", signalOnShutDown),
    stop: async () => undefined,
    ...(canRedeploy ? { useBuild: (build) => void calls.push(`use ${build}`) } : {}),
  };
  const witness: ProcessWitness = {
    ended: async (ended) => void calls.push(`${ended.pid} ended by ${ended.signal}`),
    started: async (started) => void calls.push(`${started} listens`),
  };
  return { process, calls, witness };
}

const optionsOf = (reset: Reset, witness: ProcessWitness) => ({
  reset,
  what: "workerd",
  trials: 3,
  deferredS: null,
  signal: new AbortController().signal,
  nextBuild: () => "build-2",
  witness,
});

describe("a process reset", () => {
  it.each([
    ["kill", ["kill"], "SIGKILL", "SIGKILL of the subject's workerd process"],
    ["restart", ["shutDown"], "SIGTERM", "SIGTERM, and start on the same storage"],
    ["redeploy", ["use build-2", "kill"], "SIGKILL", "new code (build-2) on the same storage, at once"],
  ] as const)(
    "'%s' tells of the end before it starts another one, and proves it by both pids",
    async (...row) => {
      const [reset, done, signal, mechanism] = row;
      const { process, calls, witness } = processOf("SIGTERM");
      const outcome = await resetProcess(process, optionsOf(reset, witness));
      expect(calls).toEqual([...done, `1 ended by ${signal}`, "start", "2 listens"]);
      expect(outcome).toMatchObject({ mechanism, process: { pid: 1, nextPid: 2, trials: 3 } });
    },
  );

  it("says when a restart had to kill", async () => {
    const { process, witness } = processOf("SIGKILL");
    const outcome = await resetProcess(process, optionsOf("restart", witness));
    expect(outcome.mechanism).toBe(
      "SIGTERM, then SIGKILL since it did not end, and start on the same storage",
    );
  });

  it("by new code that is put off ends the process after so long, or when nobody waits any more", async () => {
    const { process, calls, witness } = processOf("SIGTERM");
    const over = new AbortController();
    const options = { ...optionsOf("redeploy-within", witness), deferredS: 300, signal: over.signal };
    const reset = resetProcess(process, options);
    expect(calls).toEqual([]);
    over.abort();
    expect((await reset).mechanism).toBe("new code (build-2) on the same storage, put off for 300 s");
    expect(calls).toEqual(["use build-2", "kill", "1 ended by SIGKILL", "start", "2 listens"]);
  });

  it("that is deferred leaves the process alone and has no proof", async () => {
    const { process, calls, witness } = processOf("SIGTERM");
    expect((await resetProcess(process, optionsOf("redeploy-deferred", witness))).process).toBeNull();
    expect(calls).toEqual([]);
  });

  it.each(Reset.options.filter((reset) => !takesProcess(reset)))("'%s' is none", async (reset) => {
    const { process, calls, witness } = processOf("SIGTERM");
    await expect(resetProcess(process, optionsOf(reset, witness))).rejects.toThrow(
      `'${reset}' is no reset of a workerd process`,
    );
    expect(calls).toEqual([]);
  });

  it("by new code is none of a process that cannot take it, and names no build", async () => {
    const { process, witness } = processOf("SIGTERM", false);
    const nextBuild = () => expect.unreachable();
    await expect(resetProcess(process, { ...optionsOf("redeploy", witness), nextBuild })).rejects.toThrow(
      "'redeploy' is no reset of a workerd process",
    );
  });
});
