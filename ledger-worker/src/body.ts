/**
 * Reads a request body up to a limit, so that an oversized one is refused before it is held in memory or parsed.
 */
import { Refusal } from "./refusal.ts";

/** The body's bytes, or null when the request has none. */
export async function readBody(request: Request, bytesMax: number): Promise<Uint8Array | null> {
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > bytesMax) throw tooLarge(bytesMax);
  if (request.body === null) return null;

  const chunks: Uint8Array[] = [];
  let size = 0;
  // The announced length may be absent (chunked), so what arrives is counted as well.
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > bytesMax) {
      await reader.cancel();
      throw tooLarge(bytesMax);
    }
    chunks.push(value);
  }
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

/** Decodes strictly: a body that is not UTF-8 is not JSON either. */
export function parseJsonBody(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw new Refusal(
      "body-not-json",
      `body: expected JSON in UTF-8 (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}

function tooLarge(bytesMax: number): Refusal {
  return new Refusal("body-too-large", `body: expected at most ${bytesMax} bytes.`);
}
