/**
 * An agent's Worker as a user writes one: its Durable Object sends what it is asked to send, by each way that leaves a Worker, and
 * tells what came back. It knows nothing of the kit; headers that are laid over a request stand in what it is asked.
 */
import { connect } from "cloudflare:sockets";
import { DurableObject } from "cloudflare:workers";
import { request as httpsRequest } from "node:https";

type Sent = { readonly url: string; readonly init?: RequestInit };
type AiRun = (model: string, inputs: unknown, options?: unknown) => Promise<unknown>;
type Env = {
  readonly AGENT: DurableObjectNamespace;
  readonly AI: { run: AiRun; gateway(id: string): { run(query: unknown): Promise<Response> } };
};

export class Agent extends DurableObject<Env> {
  override async fetch(request: Request): Promise<Response> {
    const way = new URL(request.url).pathname.slice(1);
    const asked = (await request.json()) as Sent & { readonly inputs?: unknown; readonly options?: unknown };
    try {
      return Response.json(await this.#send(way, asked));
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  }

  async #send(way: string, { url, init, inputs, options }: Sent & { inputs?: unknown; options?: unknown }) {
    switch (way) {
      case "fetch": {
        const response = await fetch(url, init);
        return { status: response.status, body: await response.text() };
      }
      case "websocket":
        return { status: (await fetch(url, { headers: { upgrade: "websocket" } })).status };
      case "new-websocket": {
        const socket = new WebSocket(url);
        return await new Promise((resolve) => {
          socket.addEventListener("open", () => resolve({ open: true }));
          socket.addEventListener("error", () => resolve({ open: false }));
        });
      }
      case "https":
        return await new Promise((resolve, reject) => {
          const sent = httpsRequest(url, (response) => resolve({ status: response.statusCode }));
          sent.on("error", reject);
          sent.end();
        });
      case "socket": {
        const socket = connect(url);
        const writer = socket.writable.getWriter();
        await writer.write(new TextEncoder().encode("hello"));
        const { value } = await socket.readable.getReader().read();
        return { received: value === undefined ? null : new TextDecoder().decode(value as Uint8Array) };
      }
      case "ai": {
        const answer = await this.env.AI.run(url, inputs, options);
        if (answer instanceof Response) return { status: answer.status, body: await answer.text() };
        return answer instanceof ReadableStream ? { streamed: await new Response(answer).text() } : answer;
      }
      case "ai-gateway": {
        const answer = await this.env.AI.gateway("main").run(inputs);
        return { status: answer.status, body: await answer.text() };
      }
      default:
        throw new Error(`no such way: ${way}`);
    }
  }
}

export default {
  fetch: (request: Request, env: Env) => env.AGENT.getByName("main").fetch(request),
};
