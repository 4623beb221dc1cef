/** Local ports: free ones, or a block that the user asked for. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { UserError } from "../../base/user-error.ts";

/** The port that the user named cannot be had. */
class PortInUseError extends UserError {
  constructor(port: number) {
    super(
      `port ${port} on 127.0.0.1 is in use; give --port another first port, or leave it out to use free ports`,
    );
  }
}

/**
 * Below the ports that systems give to whoever asks for any: such a one would be given to somebody else between the moment
 * in which it is picked and that in which its process listens, and while a killed process is away. No port in it is one
 * that `fetch` refuses.
 */
const FREE_FROM = 12_000;
const FREE_TO = 32_000;
const TRIES_MAX = 100;
/** How often a start is tried on other ports, since another process may take one between its pick and its use. */
const STARTS_MAX = 5;
/** Of Node, and of Miniflare for workerd. */
const TAKEN: readonly unknown[] = ["EADDRINUSE", "ERR_ADDRESS_IN_USE"];

/**
 * Reserves `count` ports on 127.0.0.1: consecutive from `first`, or any free ones when `first` is null.
 *
 * @throws PortInUseError for the first taken port of the block.
 */
export async function pickPorts(count: number, first: number | null): Promise<number[]> {
  const held = [];
  try {
    for (let index = 0; index < count; index++)
      held.push(await (first === null ? holdFree() : hold(first + index)));
    return held.map(({ port }) => port);
  } finally {
    await Promise.all(held.map(({ close }) => close()));
  }
}

/**
 * Picks ports as `pickPorts` does and starts something on them, and on newly picked ones when one was taken in between. A
 * `start` that fails has let go of everything.
 *
 * @throws as `pickPorts` and `start` do; for a named block, PortInUseError when a port of it stays taken.
 */
export async function startOnPorts<T>(
  count: number,
  first: number | null,
  start: (ports: readonly number[]) => Promise<T>,
): Promise<T> {
  for (let starts = 1; ; starts++) {
    const ports = await pickPorts(count, first);
    try {
      return await start(ports);
    } catch (error) {
      const isTaken = error instanceof Error && TAKEN.includes(Reflect.get(error, "code"));
      if (!isTaken || starts === STARTS_MAX) throw error;
    }
  }
}

/** Holds some free port, whichever it takes after too many taken ones. */
async function holdFree(): ReturnType<typeof hold> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      return await hold(randomInt(FREE_FROM, FREE_TO));
    } catch (error) {
      if (!(error instanceof PortInUseError)) throw error;
    }
  }
  return hold(0);
}

/** Holds one port until `close`, so that a block never names one port twice. */
function hold(port: number): Promise<{ port: number; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? new PortInUseError(port) : error),
    );
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : port,
        close: () => new Promise((done) => server.close(() => done())),
      });
    });
  });
}
