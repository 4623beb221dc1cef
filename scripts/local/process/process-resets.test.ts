import { describe, expect, it } from "vitest";
import { Reset, takesProcess } from "../../../src/trace/resets.ts";
import { resetProcess } from "./process-resets.ts";
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
    ...(canRedeploy
      ? {
          redeploy: async (build) => {
            const ended = await end(`redeploy ${build}`, "SIGTERM");
            pid += 1;
            return ended;
          },
        }
      : {}),
  };
  return { process, calls };
}

const optionsOf = (reset: Reset) => ({ reset, what: "workerd", trials: 3, nextBuild: () => "build-2" });

describe("a process reset", () => {
  it.each([
    ["kill", ["kill", "start"], "SIGKILL of the subject's workerd process"],
    ["restart", ["shutDown", "start"], "SIGTERM, and start on the same storage"],
    ["redeploy", ["redeploy build-2"], "new code (build-2) on the same storage, at once"],
  ] as const)("'%s' ends the process and proves it by both pids", async (reset, done, mechanism) => {
    const { process, calls } = processOf("SIGTERM");
    const outcome = await resetProcess(process, optionsOf(reset));
    expect(calls).toEqual(done);
    expect(outcome).toMatchObject({ mechanism, process: { pid: 1, nextPid: 2, trials: 3 } });
  });

  it("says when a restart had to kill", async () => {
    const outcome = await resetProcess(processOf("SIGKILL").process, optionsOf("restart"));
    expect(outcome.mechanism).toBe(
      "SIGTERM, then SIGKILL since it did not end, and start on the same storage",
    );
  });

  it("that is deferred leaves the process alone and has no proof", async () => {
    const { process, calls } = processOf("SIGTERM");
    expect((await resetProcess(process, optionsOf("redeploy-deferred"))).process).toBeNull();
    expect(calls).toEqual([]);
  });

  it.each(Reset.options.filter((reset) => !takesProcess(reset)))("'%s' is none", async (reset) => {
    const { process, calls } = processOf("SIGTERM");
    await expect(resetProcess(process, optionsOf(reset))).rejects.toThrow(
      `'${reset}' is no reset of a workerd process`,
    );
    expect(calls).toEqual([]);
  });

  it("by new code is none of a process that cannot take it, and names no build", async () => {
    const { process } = processOf("SIGTERM", false);
    const nextBuild = () => expect.unreachable();
    await expect(resetProcess(process, { ...optionsOf("redeploy"), nextBuild })).rejects.toThrow(
      "'redeploy' is no reset of a workerd process",
    );
  });
});
