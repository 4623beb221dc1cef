/** Plays every scenario on both sides and compares what was seen. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutation } from "../../../src/host/stand-in/mutations.ts";
import { configText } from "../../local/server/server-config.ts";
import { ServerProcess } from "../../local/server/server-process.ts";
import { compare, type Line } from "./compare-sides.ts";
import { payloadsOf } from "./event-payloads.ts";
import { KNOWN } from "./known-differences.ts";
import type { LoggedEvent } from "./normalise.ts";
import type { Observation } from "./observation.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { type Scenario, Scene } from "./scene.ts";
import { ServerSide } from "./sides/server.ts";
import type { Side } from "./sides/side.ts";
import { StandInRuntime } from "./sides/stand-in.ts";
import { World } from "./world.ts";

/** Others may be measuring on the same machine. */
const NICENESS = 10;

export type Played = {
  readonly lines: readonly Line[];
  /** Scenarios that a side did not get through: then there is nothing to compare. */
  readonly failures: readonly string[];
  /** Requests to the world that no scenario foresaw: a side did more than it was asked to. */
  readonly unforeseen: readonly string[];
};

type Seen = { observations: Observation[]; events: Map<string, LoggedEvent> };

/** @param broken - Rules that the stand-in breaks throughout, to see whether the comparison notices. */
export async function play(
  binary: string,
  broken: readonly Mutation[],
  onProgress: (sentence: string) => void,
): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), "opencode-oracle-"));
  // Also when the run is cut short.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const world = new World();
  await world.start();
  const server = new ServerProcess({ binary, folder, niceness: NICENESS });
  const standIn = await StandInRuntime.start(world.url);
  const failures: string[] = [];
  const records = { server: nothingSeen(), standIn: nothingSeen() };
  try {
    await server.configure({ "opencode.json": configText(`${world.url}/v1`) });
    onProgress("starting the OpenCode server");
    await server.start();
    const serverSide = new ServerSide(server);
    const declared = await serverSide.declaredNames();
    for (const [index, scenario] of SCENARIOS.entries()) {
      onProgress(`${index + 1}/${SCENARIOS.length} ${scenario.name}`);
      await playOne(scenario, serverSide, world, records.server, failures);
      await playOne(
        scenario,
        standIn.side([...scenario.broken, ...broken]),
        world,
        records.standIn,
        failures,
      );
    }
    const payloads = payloadsOf(
      records.server.events.values(),
      records.standIn.events.values(),
      KNOWN.vocabulary,
    );
    const lines = compare(
      [...records.server.observations, ...payloads.server],
      [...records.standIn.observations, ...payloads.standIn],
      declared,
      KNOWN,
    );
    return { lines, failures, unforeseen: world.unforeseen };
  } finally {
    await server.stop();
    await standIn.stop();
    await world.stop();
  }
}

async function playOne(
  scenario: Scenario,
  side: Side,
  world: World,
  record: Seen,
  failures: string[],
): Promise<void> {
  world.forget();
  const scene = new Scene(scenario.name, side, world);
  try {
    await scenario.run(scene);
  } catch (error) {
    failures.push(
      `${scenario.name} on the ${side.name}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  record.observations.push(...scene.observations);
  for (const [id, event] of scene.events) record.events.set(id, event);
}

function nothingSeen(): Seen {
  return { observations: [], events: new Map() };
}
