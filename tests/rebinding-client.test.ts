/** The client that rebinds, against exec servers that are really killed: the kit's own, which needs no download. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ExecutorProcess } from "../scripts/local/container/executor-process.ts";
import { executorProgram } from "../scripts/local/container/executor-programs.ts";
import {
  type ExecutorSource,
  type IdForm,
  OUTCOME_UNKNOWN,
  passingNotes,
  RebindingClient,
  UnknownReference,
} from "../src/harnesses/exec-server/rebinding-client.ts";

const LASTING = ["sleep", "600"];

/** Executors of one container: at most one at a time. */
class Executors implements ExecutorSource {
  readonly started: ExecutorProcess[] = [];
  #left: Promise<void> = Promise.resolve();
  readonly #folder = mkdtempSync(join(tmpdir(), "recovery-kit-exec-"));

  isRunning(): boolean {
    return this.started.at(-1)?.isRunning === true;
  }

  executor(): string {
    return `executor-${this.started.length}`;
  }

  async start(): Promise<void> {
    const program = executorProgram("exec-server", new Map());
    const options = { program, folder: this.#folder, env: {}, onOutput: () => undefined };
    this.started.push(await ExecutorProcess.start(options));
  }

  async connect(): Promise<WebSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${await this.started.at(-1)?.port}/`);
    this.#left = new Promise((resolve) => socket.addEventListener("close", () => resolve()));
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error("no connection")));
    });
    return socket;
  }

  /** Resolves when the client has seen it too. */
  async kill(): Promise<void> {
    await this.started.at(-1)?.kill();
    await this.#left;
  }

  async clearAway(): Promise<void> {
    await Promise.all(this.started.map((one) => (one.isRunning ? one.kill() : undefined)));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

let executors: Executors;
function clientOf(form: IdForm, kept = passingNotes()): RebindingClient {
  executors = new Executors();
  return new RebindingClient(executors, kept, form);
}
afterEach(() => executors.clearAway());

describe("a client that rebinds", () => {
  it("starts one executor for two callers that find none", async () => {
    const client = clientOf("generation");
    const ids = await Promise.all([client.begin("a", LASTING), client.begin("b", LASTING)]);
    expect(executors.started).toHaveLength(1);
    expect(await Promise.all(ids.map((id) => client.workAt(id)))).toEqual(["a", "b"]);
    await executors.kill();
    const next = await Promise.all([client.begin("c", LASTING), client.begin("d", LASTING)]);
    expect(executors.started).toHaveLength(2);
    expect(next.toSorted()).toEqual(["g2:1", "g2:2"]);
  });

  it("says at once that the outcome of a command is unknown when its executor goes", async () => {
    const client = clientOf("generation");
    await client.begin("first", LASTING);
    const pending = expect(client.run("command", LASTING)).rejects.toThrow(OUTCOME_UNKNOWN);
    await executors.kill();
    await pending;
  });

  it("refuses an old id before there is new work, and after", async () => {
    const client = clientOf("generation");
    const old = await client.begin("old", LASTING);
    await executors.kill();
    await expect(client.workAt(old)).rejects.toThrow(UnknownReference);
    expect(executors.started, "using an id starts nothing").toHaveLength(1);
    await client.begin("new", LASTING);
    await expect(client.workAt(old)).rejects.toThrow(UnknownReference);
  });

  it("takes an old id for that of new work where its ids carry no generation", async () => {
    const client = clientOf("bare");
    const old = await client.begin("old", LASTING);
    await executors.kill();
    await client.begin("new", LASTING);
    expect(await client.workAt(old)).toBe("new");
  });

  it("goes on with its session and its work where its notes outlived it", async () => {
    const kept = passingNotes();
    const before = clientOf("generation", kept);
    const id = await before.begin("work", ["/bin/sh", "-c", "echo result-$$"]);
    const printed = await before.run("work", ["no-such-command"]);
    const after = new RebindingClient(executors, kept, "generation");
    expect(await after.run("work", ["no-such-command"])).toBe(printed);
    expect(await after.workAt(id)).toBe("work");
  });

  it("takes an old id for that of new work where its generation was forgotten with it", async () => {
    const before = clientOf("generation");
    const old = await before.begin("old", LASTING);
    const after = new RebindingClient(executors, passingNotes(), "generation");
    await expect(after.workAt(old)).rejects.toThrow(UnknownReference);
    await after.begin("new", LASTING);
    expect(await after.workAt(old)).toBe("new");
  });
});
