/** How model requests reach the bench of the object that makes them, through whichever `fetch` the host uses. */
import { type Bench, VIA } from "./contract-bench.ts";

type Benches = DurableObjectNamespace<Bench>;

/** Reserved name (RFC 2606); nothing answers to it on any network. */
const MODEL_HOST = "model.invalid";

export function modelBaseUrl(bench: string): string {
  return `http://${MODEL_HOST}/${bench}/v1`;
}

/** @throws for a request that is not meant for the model: nothing here may leave the machine. */
export async function askBench(
  benches: Benches,
  request: Request,
  via: "option" | "global",
): Promise<Response> {
  const url = new URL(request.url);
  const [, bench = ""] = url.pathname.split("/");
  if (url.hostname !== MODEL_HOST) throw new Error(`The host asked for ${url.href}`);
  const headers = new Headers(request.headers);
  headers.set(VIA, via);
  return benches.getByName(bench).fetch(new Request(request, { headers }));
}

let routed = false;

/** Once per isolate: all objects in it share one `globalThis`. */
export function routeGlobalFetch(benches: Benches): void {
  if (routed) return;
  routed = true;
  globalThis.fetch = (input, init) => askBench(benches, new Request(input, init), "global");
}
