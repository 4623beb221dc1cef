/**
 * A program of its own: a small exec server, for trials that are to need no download. It speaks the part of the protocol of
 * `codex exec-server` that the rebinding client uses, keeps a session when its connection ends, and numbers nothing: ids of
 * processes are the client's.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { acceptTextSocket } from "./text-socket.ts";

const Message = z.object({ id: z.number().optional(), method: z.string(), params: z.unknown() });
const Initialize = z.object({ resumeSessionId: z.string().optional() });
const Start = z.object({ processId: z.string(), argv: z.tuple([z.string()], z.string()), cwd: z.string() });
const Read = z.object({ processId: z.string() });

type Managed = {
  chunks: { seq: number; stream: string; chunk: string }[];
  exitCode: number | null;
  closed: boolean;
};
type Session = Map<string, Managed>;

const sessions = new Map<string, Session>();

const server = createServer();
server.on("upgrade", (request, socket) => {
  let session: Session | undefined;
  const send = acceptTextSocket(request, socket, (text) => {
    const { id, method, params } = Message.parse(JSON.parse(text));
    if (id === undefined) return;
    try {
      send(JSON.stringify({ id, result: answer(method, params) }));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      send(JSON.stringify({ id, error: { code: -32600, message } }));
    }
  });

  function answer(method: string, params: unknown): unknown {
    if (method === "initialize") {
      const { resumeSessionId: sessionId = crypto.randomUUID() } = Initialize.parse(params);
      const isKnown = sessions.has(sessionId);
      if (!isKnown && Initialize.parse(params).resumeSessionId !== undefined)
        throw new Error(`unknown session id ${sessionId}`);
      session = sessions.get(sessionId) ?? new Map();
      sessions.set(sessionId, session);
      return { sessionId, environmentInfo: { cwd: pathToFileURL(process.cwd()).href } };
    }
    if (session === undefined) throw new Error("not initialized");
    if (method === "process/start") return start(session, Start.parse(params));
    if (method === "process/read") return read(session, Read.parse(params));
    throw new Error(`unknown method ${method}`);
  }
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});

function start(session: Session, { processId, argv, cwd }: z.infer<typeof Start>) {
  if (session.has(processId)) throw new Error(`process ${processId} already exists`);
  const managed: Managed = { chunks: [], exitCode: null, closed: false };
  session.set(processId, managed);
  const [file, ...args] = argv;
  const child = spawn(file, args, { cwd: fileURLToPath(cwd), stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].on("data", (data: Buffer) => {
      managed.chunks.push({ seq: managed.chunks.length + 1, stream, chunk: data.toString("base64") });
    });
  child.once("error", () => {
    managed.closed = true;
  });
  child.once("close", (code) => {
    managed.exitCode = code;
    managed.closed = true;
  });
  return { processId };
}

function read(session: Session, { processId }: z.infer<typeof Read>) {
  const managed = session.get(processId);
  if (managed === undefined) throw new Error(`unknown process id ${processId}`);
  return managed;
}
