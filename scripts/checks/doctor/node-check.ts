/** Which Node runs the tools, from where, and whether the pinned one is usable. */
import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { REPOSITORY } from "../../base/repository.ts";
import { complainAboutNode, type PinnedNode } from "../../node-version.mjs";
import { type Answer, fail, ok, warn } from "./check-result.ts";

/** A Node that runs: its version as `24.1.0` and the path of its binary. */
export type RunningNode = { readonly version: string; readonly path: string };

/** `pinned` is null where none is pinned for the platform. */
export function judgeNode(running: RunningNode, pinned: PinnedNode | null): Answer {
  const found = `${running.version} from ${shown(running.path)}`;
  const complaint = complainAboutNode(running.version, () => pinned);
  if (complaint !== null) return fail(found, complaint);
  if (pinned === null) return ok(`${found}; none is pinned for this platform`);
  if (pinned.trouble !== null)
    return fail(`${found}, but the pinned ${pinned.version} is not usable: ${pinned.trouble}`, pinned.mend);
  if (pinned.path === null || realpathSync(running.path) !== realpathSync(pinned.path))
    return warn(
      `${found}, not the pinned ${pinned.version}`,
      "start the kit with 'npm run', which puts the pinned one first",
    );
  return ok(`${found}, as pinned`);
}

function shown(path: string): string {
  const inside = relative(REPOSITORY, path);
  return inside.startsWith("..") ? path : inside;
}
