/** Local ports: free ones, or a block that the user asked for. */
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
 * Reserves `count` ports on 127.0.0.1: consecutive from `first`, or any free ones when `first` is null.
 *
 * @throws PortInUseError for the first taken port of the block.
 */
export async function pickPorts(count: number, first: number | null): Promise<number[]> {
  const held = [];
  try {
    for (let index = 0; index < count; index++) held.push(await hold(first === null ? 0 : first + index));
    return held.map(({ port }) => port);
  } finally {
    await Promise.all(held.map(({ close }) => close()));
  }
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
