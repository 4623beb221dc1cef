/** A server that ends while it boots, as a real process: a program that does so stands in for the server's binary. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { bootFailureOf } from "../../../src/reconcile/boot-failure.ts";
import { IDENTITY_FILE, IdentityFile } from "./identity-file.ts";
import { ServerSlot } from "./server-slot.ts";

const BROKEN = `#!/bin/sh
[ "$1" = --version ] && { echo 9.9.9; exit 0; }
echo 'SqliteError: no such table: session_v2' >&2
exit 1
`;
const Told = z.object({
  record: z.looseObject({ type: z.string(), activation: z.string(), error: z.string().optional() }),
});

const told: z.infer<typeof Told>[] = [];
let folder: string;
let ledger: Server;
let slot: ServerSlot;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-kit-boot-"));
  const binary = join(folder, "opencode");
  await writeFile(binary, BROKEN);
  await chmod(binary, 0o755);
  ledger = createServer(async (request, response) => {
    told.push(Told.parse(JSON.parse(await text(request))));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ seq: told.length, repeated: false }));
  });
  await new Promise<void>((resolve) => ledger.listen(0, "127.0.0.1", resolve));
  slot = new ServerSlot({
    binary,
    folder: join(folder, "slot"),
    port: 0,
    ledgerUrl: `http://127.0.0.1:${(ledger.address() as AddressInfo).port}`,
    controllerUrl: "http://127.0.0.1:1",
    secret: "a-secret-for-tests-only",
    onOutput: () => undefined,
    onDied: () => undefined,
  });
});

afterAll(async () => {
  await slot.stop();
  ledger.close();
  await rm(folder, { recursive: true, force: true });
});

it("is an error before any trial, and afterwards each failed start is told to the trial with its output", async () => {
  await expect(slot.start()).rejects.toThrow("no such table: session_v2");
  expect(told).toEqual([]);

  new IdentityFile(join(folder, "slot/home/.local/share/opencode", IDENTITY_FILE)).keepTrial("t1", {
    subject: "opencode-server",
    session: "ses_1",
    key: "none",
    marker: "m",
    prompts: {},
  });
  await slot.start();
  expect(slot.pid).toBeNull();
  const failed = told.filter(({ record }) => record.type === "activation.failed");
  expect(failed).toHaveLength(3);
  expect(new Set(failed.map(({ record }) => record.activation)).size).toBe(3);
  for (const { record } of failed)
    expect(bootFailureOf(record.error ?? "")).toEqual({
      code: "schema-unreadable",
      what: "table session_v2",
    });
  const [activated] = told.filter(({ record }) => record.type === "subject.activated");
  expect(activated?.record.host).toMatchObject({ kind: "server", version: "9.9.9" });
});
