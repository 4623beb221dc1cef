/**
 * How a host's model requests reach the scripted model: by a reserved host name whose requests go through the
 * CONTROLLER service binding. Newer hosts take a `fetch` option; older ones use `globalThis.fetch`, which is why
 * that one name is routed there too (host contract, section 2.1). Every other request is left alone.
 */

/** Reserved name (RFC 2606); nothing answers to it on any network. */
export const MODEL_HOST = "model.invalid";

/** Base URL of the OpenAI-compatible provider for one trial. */
export function modelBaseUrl(trial: string): string {
  return `http://${MODEL_HOST}/model/${trial}/v1`;
}

type Route = (request: Request) => Promise<Response>;

let route: Route | undefined;

/** Sends requests for `MODEL_HOST` made through the global `fetch` to `controller`. Installs once per isolate. */
export function routeModelRequests(controller: Fetcher): void {
  const installed = route !== undefined;
  route = (request) => controller.fetch(request);
  if (installed) return;
  const outside = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return isModelUrl(url) && route !== undefined ? route(new Request(input, init)) : outside(input, init);
  };
}

/** A `fetch` for hosts that take one as an option. */
export function modelFetch(controller: Fetcher): typeof fetch {
  return (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return isModelUrl(url) ? controller.fetch(new Request(input, init)) : globalThis.fetch(input, init);
  };
}

function isModelUrl(url: string): boolean {
  return URL.canParse(url) && new URL(url).hostname === MODEL_HOST;
}
