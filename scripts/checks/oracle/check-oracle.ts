/** Compares the stand-in with the pinned OpenCode server and says what that comes to. See docs/oracle.md. */
import type { Mutation } from "../../../src/host/stand-in/mutations.ts";
import { installServer } from "../../local/server/install.ts";
import { SERVER_VERSION } from "../../local/server/version.ts";
import { isFailure, type Line, type Status } from "./compare-sides.ts";
import { NORMALISATIONS } from "./normalise.ts";
import { countsOf } from "./oracle-table.ts";
import { type Played, play } from "./play.ts";

/** What is printed as JSON, in this order. */
type CheckedOracle = {
  readonly server: string;
  readonly counts: Readonly<Record<Status, number>>;
  readonly failures: Played["failures"];
  readonly unforeseen: Played["unforeseen"];
  readonly normalisations: typeof NORMALISATIONS;
  readonly lines: readonly Line[];
};

/**
 * @param broken - Rules that the stand-in is to break, to see them noticed.
 * @throws UserError when there is no server to be had.
 */
export async function checkOracle(
  broken: readonly Mutation[],
  onProgress: (sentence: string) => void,
): Promise<CheckedOracle> {
  const { lines, failures, unforeseen } = await play(await installServer(onProgress), broken, onProgress);
  const counts = countsOf(lines);
  return { server: SERVER_VERSION, counts, failures, unforeseen, normalisations: NORMALISATIONS, lines };
}

/** Whether every difference is listed, every listed one is there, and no side did more than it was asked to. */
export function isAsListed({ lines, unforeseen }: CheckedOracle): boolean {
  return !lines.some(isFailure) && unforeseen.length === 0;
}
