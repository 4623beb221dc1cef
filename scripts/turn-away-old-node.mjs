// Ends a process that a Node is too old for with one sentence. Imported before anything newer is parsed.
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { complainAboutNode, pinnedNode } from "./node-version.mjs";

const complaint = complainAboutNode(process.versions.node, () =>
  pinnedNode(fileURLToPath(new URL("..", import.meta.url)), process.platform, process.arch),
);
if (complaint !== null) {
  // At once, since the process ends before a stream would have written it.
  fs.writeSync(2, `${complaint}\n`);
  process.exit(2);
}
