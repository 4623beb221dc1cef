/**
 * A program of its own (scratch.ts starts it): waits until the process that started it is gone, which closes its input,
 * then ends what that one left running and removes its folder.
 */
import { once } from "node:events";
import { clearScratch } from "./scratch-folder.ts";

const [folder = ""] = process.argv.slice(2);
process.stdin.resume();
await once(process.stdin, "close");
await clearScratch(folder);
