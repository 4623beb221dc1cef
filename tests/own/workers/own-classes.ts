/** The same Worker as it is put under trial: what the generated entry would say, for several classes in turn. */
import "../../../src/own/outgoing.ts";
import type { OwnTrial } from "../../../src/own/own-worker.ts";
import { KitAlarmWitness, ownWorker, underOwnTrial } from "../../../src/own/own-worker.ts";
import * as hers from "./her-worker.ts";

/** Her own client, for each of the classes. */
function trialOf(className: string): OwnTrial {
  return {
    object: { class: className, binding: className.toUpperCase(), name: (trial) => `object-of-${trial}` },
    client: {
      again: true,
      submit: async ({ object, fetch, prompt, operationId }) => {
        if (prompt === "by-fetch") await fetch(`/work/${operationId}`);
        else await object.send("http://api.example/from-client");
        return {};
      },
      result: async ({ operationId }) =>
        operationId.endsWith("pending") ? { status: "pending" } : { status: "done", text: "it is done" },
    },
  };
}

const trial = trialOf("Methods");
const under = (exported: { readonly name: string }) =>
  underOwnTrial(exported, exported.name, trialOf(exported.name));

export const Methods = underOwnTrial(hers.Methods, "Methods", trial);
export const Helper = underOwnTrial(hers.Helper, "Helper", trial);
export const Installed = under(hers.Installed);
export const WithoutAlarm = under(hers.WithoutAlarm);
export const Frozen = under(hers.Frozen);
export const Socket = under(hers.Socket);
export const Named = under(hers.Named);
export { KitAlarmWitness };

const own = ownWorker(hers.default, trial) as { fetch(...args: unknown[]): Promise<Response> };

/** Lets a test speak to any object as her own code would. */
export default {
  ...own,
  async fetch(request: Request, env: Record<string, DurableObjectNamespace>, ctx: ExecutionContext) {
    const binding = request.headers.get("x-object-class");
    if (binding === null) return own.fetch(request, env, ctx);
    const object = env[binding]!.getByName(request.headers.get("x-object-name") ?? "");
    const method = request.headers.get("x-method");
    if (method === null) return object.fetch(request);
    const given = JSON.parse(request.headers.get("x-arguments") ?? "[]") as unknown[];
    const methods = object as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    return Response.json((await methods[method]!(...given)) ?? null);
  },
};
