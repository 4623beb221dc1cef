/**
 * Passes the server's model requests on to the scripted model of the trial that its session belongs to, and names session
 * and activation to it. The server has one model for all of its sessions, the kit one for each trial. Changes nothing else.
 */
import { Refusal } from "../../../src/link/admission.ts";
import { ACTIVATION_HEADER, SESSION_HEADER } from "../../../src/model/index.ts";
import { localFetch } from "../process/local-fetch.ts";

/** Where the server says which session a model request belongs to; 1.15 has the second alone. */
const SERVER_SESSION_HEADERS = ["x-session-id", "x-session-affinity"] as const;

type RelayOptions = {
  readonly controllerUrl: string;
  readonly secret: string;
  readonly activation: string;
  readonly trialOf: (session: string) => string | undefined;
};

export async function relayModelRequest(request: Request, options: RelayOptions): Promise<Response> {
  const session = SERVER_SESSION_HEADERS.flatMap((name) => request.headers.get(name) ?? [])[0] ?? "";
  const trial = options.trialOf(session);
  if (trial === undefined) throw new Refusal("session-unknown", `session '${session}' is no trial's`);
  const answer = await forward(request, session, trial, options);
  if (answer === null) throw new Refusal("caller-gone", "the server did not wait for the answer");
  // What `fetch` has undone already (lengths, encodings) must not be said again.
  const type = answer.headers.get("content-type") ?? "application/json";
  return new Response(answer.body, { status: answer.status, headers: { "content-type": type } });
}

/** Null when the server went away meanwhile, as one that is killed does. */
async function forward(
  request: Request,
  session: string,
  trial: string,
  options: RelayOptions,
): Promise<Response | null> {
  const body = await request.text();
  const answer = localFetch(`${options.controllerUrl}/model/${trial}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${options.secret}`,
      "content-type": "application/json",
      [SESSION_HEADER]: session,
      [ACTIVATION_HEADER]: options.activation,
    },
    body,
    signal: request.signal,
  });
  return await answer.catch((error: unknown) => {
    if (request.signal.aborted) return null;
    throw error;
  });
}
