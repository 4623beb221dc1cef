import { createServer, type Server } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { pickPorts, startOnPorts } from "./ports.ts";

async function listen(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return server;
}

describe("ports for the processes of a run", () => {
  it("are free, differ, and are none that the system gives to others", async () => {
    const ports = await pickPorts(20, null);
    expect(new Set(ports).size).toBe(20);
    for (const port of ports) {
      expect(port).toBeGreaterThanOrEqual(12_000);
      expect(port).toBeLessThan(32_000);
      await listen(port);
    }
  });

  it("are a block where its first one is named, which has to be free as a whole", async () => {
    const [first = 0] = await pickPorts(1, null);
    expect(await pickPorts(2, first)).toEqual([first, first + 1]);
    await listen(first + 1);
    await expect(pickPorts(2, first)).rejects.toThrow(`port ${first + 1} on 127.0.0.1 is in use`);
  });
});

describe("a start on ports of which one is taken after it was picked", () => {
  /** Starts listeners on two ports; before the first of these starts, another listener takes one of them. */
  const startBesideOthers = async (first: number | null) => {
    const tried: (readonly number[])[] = [];
    await startOnPorts(2, first, async (ports) => {
      if (tried.push(ports) === 1) await listen(ports[1] ?? 0);
      const own: Server[] = [];
      try {
        for (const port of ports) own.push(await listen(port));
      } catch (error) {
        await Promise.all(own.map((server) => new Promise((done) => server.close(done))));
        throw error;
      }
    });
    return tried;
  };

  it("is tried again on others", async () => {
    const [picked, others, ...more] = await startBesideOthers(null);
    expect(others).toHaveLength(2);
    expect(others).not.toEqual(picked);
    expect(more).toEqual([]);
  });

  it("names the taken port of a block that the user chose, and takes no other one", async () => {
    const [first = 0] = await pickPorts(1, null);
    await expect(startBesideOthers(first)).rejects.toThrow(
      /^port \d+ on 127\.0\.0\.1 is in use; give --port/,
    );
  });

  it("is tried once where something else is wrong", async () => {
    let starts = 0;
    const start = async () => {
      starts++;
      throw new Error("something else");
    };
    await expect(startOnPorts(1, null, start)).rejects.toThrow("something else");
    expect(starts).toBe(1);
  });
});
