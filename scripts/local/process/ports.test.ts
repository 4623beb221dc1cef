import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { pickPorts } from "./ports.ts";

async function listen(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
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
