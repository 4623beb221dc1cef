/**
 * The gate Worker: every request that leaves an agent's Worker comes here, since it is the outbound service of that Worker in the same
 * workerd. By the trial's rules a request is an attempt, a look-up or the model's, or it is let out to this machine; every
 * other is refused and recorded. Nothing is kept in memory: the gate dies with the agent's process.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { askModel, attempt, isRefusal, lookUp } from "./act.ts";
import { attribute, KIT_HEADERS } from "./attribution.ts";
import { type GateEnv, onlyTrialOf, rulesOf } from "./gate-env.ts";
import { refuse, shownRequest } from "./refuse.ts";
import { routeRequest } from "./route-request.ts";

export { Ai } from "./ai-stand-in.ts";

/** A socket of TCP, as the runtime hands it over. */
type IncomingSocket = Pick<Socket, "opened" | "close">;

export default class Gate extends WorkerEntrypoint<GateEnv> {
  override async fetch(request: Request): Promise<Response> {
    const { env } = this;
    const { method, url } = request;
    const body = request.body === null ? "" : await request.clone().text();
    const route = routeRequest(rulesOf(env), method, url, body);
    const whose = attribute({
      headers: request.headers,
      prompt: route.kind === "model" ? body : null,
      onlyTrial: onlyTrialOf(env),
    });
    const way = request.headers.get("upgrade")?.toLowerCase() === "websocket" ? "websocket" : "fetch";
    const refused = (why: "no-rule" | "no-action" | "no-model-request" | "trial-ended") =>
      refuse(env, whose, { way, why, request: shownRequest(method, url) });
    if (route.kind === "refused") return refused(route.why);
    if (route.kind === "allowed") return fetch(withoutKitHeaders(request));
    // An answer over a WebSocket is none that a rule could give.
    if (whose === null || way === "websocket") return refused("no-rule");
    const { headers } = request;
    const stars = route.kind === "model" ? [] : route.stars;
    const asked = { env, whose, seen: { method, url, headers, body, stars } };
    try {
      if (route.kind === "model") return await askModel(route, asked);
      const answer = await (route.kind === "attempt" ? attempt(route, asked) : lookUp(route, asked));
      return answer ?? (await refused("no-action"));
    } catch (error) {
      if (isRefusal(error, "trial-ended")) return refused("trial-ended");
      throw error;
    }
  }

  /** A socket says where it leads and nothing of who opened it. It is closed at once: there is nothing behind the gate. */
  override async connect(socket: IncomingSocket): Promise<void> {
    const onlyTrial = onlyTrialOf(this.env);
    const { localAddress } = await socket.opened;
    const whose = attribute({ headers: new Headers(), prompt: null, onlyTrial });
    const request = localAddress ?? "an unknown address";
    await refuse(this.env, whose, { way: "socket", why: "no-rule", request });
    await socket.close();
  }
}

/** Whoever answers on this machine learns nothing of the trial. */
function withoutKitHeaders(request: Request): Request {
  const sent = new Request(request);
  for (const name of KIT_HEADERS) sent.headers.delete(name);
  return sent;
}
