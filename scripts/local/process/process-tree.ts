/** Which processes descend from another one, whatever group or session they have put themselves in. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Every process below `root`, each after its parent. One whose parent has ended already is not found. */
export function descendantsOf(root: number): number[] {
  const children = Map.groupBy(listed(), ({ parent }) => parent);
  return [...below(root)];

  function* below(parent: number): Generator<number> {
    const own = (children.get(parent) ?? []).map(({ pid }) => pid);
    yield* own;
    for (const pid of own) yield* below(pid);
  }
}

/** Every process of the group that `leader` leads or led; the leader itself is not named. */
export function membersOf(leader: number): number[] {
  return listed().flatMap(({ pid, group }) => (group === leader && pid !== leader ? pid : []));
}

type Listed = { readonly pid: number; readonly parent: number; readonly group: number };

function listed(): Listed[] {
  return existsSync("/proc/self/stat") ? listedInProc() : listedByPs();
}

function listedInProc(): Listed[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The command, in parentheses, may hold spaces and parentheses.
        const fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
        return [{ pid: Number(name), parent: Number(fields[1]), group: Number(fields[2]) }];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

function listedByPs(): Listed[] {
  const told = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid="], { encoding: "utf8" });
  return told
    .trim()
    .split("\n")
    .map((line) => {
      const [pid = 0, parent = 0, group = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, parent, group };
    });
}
