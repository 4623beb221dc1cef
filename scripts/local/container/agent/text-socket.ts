/**
 * The server's side of a WebSocket, as far as text messages of one frame need it: Node has a client alone, and one program of
 * the kit's is no reason for a package. Other frames are passed over, but for the closing one.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** What a server appends to the key of its client, by RFC 6455. */
const ACCEPTS = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 0x1;
const CLOSE = 0x8;
const FINAL = 0x80;

/** Resolves the upgrade and hands each message over. @returns What sends one. */
export function acceptTextSocket(
  { headers }: IncomingMessage,
  socket: Duplex,
  onText: (text: string) => void,
): (text: string) => void {
  const key = createHash("sha1").update(`${headers["sec-websocket-key"]}${ACCEPTS}`).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
  );
  let unread = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (data: Buffer) => {
    unread = Buffer.concat([unread, data]);
    for (let frame = readFrame(unread); frame !== null; frame = readFrame(unread)) {
      unread = unread.subarray(frame.length);
      if (frame.code === CLOSE) socket.end();
      if (frame.code === TEXT) onText(frame.payload.toString("utf8"));
    }
  });
  return (text) => {
    if (socket.writable) socket.write(frameOf(Buffer.from(text)));
  };
}

type Frame = { readonly code: number; readonly payload: Buffer; readonly length: number };

/** A client masks what it sends. Null while the frame is not there as a whole. */
function readFrame(data: Buffer): Frame | null {
  const [first = 0, second = 0] = data;
  const short = second & 0x7f;
  const sized = short === 126 ? 2 : short === 127 ? 8 : 0;
  const from = 2 + sized + 4;
  if (data.length < from) return null;
  const size = sized === 0 ? short : sized === 2 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
  if (data.length < from + size) return null;
  const mask = data.subarray(from - 4, from);
  const payload = Buffer.from(data.subarray(from, from + size).map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
  return { code: first & 0x0f, payload, length: from + size };
}

function frameOf(payload: Buffer): Buffer {
  const { length } = payload;
  const isShort = length < 126;
  const head = Buffer.alloc(isShort ? 2 : 10);
  head[0] = FINAL | TEXT;
  head[1] = isShort ? length : 127;
  if (!isShort) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
