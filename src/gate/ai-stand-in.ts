/**
 * Stands for the platform's AI binding, which has nothing behind it on this machine: what an agent asks of it is asked of the trial's
 * model, and answered both as Workers AI answers and as OpenAI's chat completions do, since clients read either.
 */
import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import { z } from "zod";
import { askModel } from "./act.ts";
import { attribute } from "./attribution.ts";
import { type GateEnv, onlyTrialOf } from "./gate-env.ts";
import { refuse } from "./refuse.ts";

const Inputs = z.union([
  z.looseObject({ messages: z.array(z.unknown()).min(1) }),
  z
    .looseObject({ prompt: z.string() })
    .transform(({ prompt, ...others }) => ({ ...others, messages: [{ role: "user", content: prompt }] })),
]);
const Options = z.looseObject({ returnRawResponse: z.boolean().optional() }).default({});

/** What is read of the model's own answer. */
const Completion = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({
          content: z.string().nullish(),
          tool_calls: z
            .array(z.looseObject({ function: z.object({ name: z.string(), arguments: z.string() }) }))
            .optional(),
        }),
      }),
    )
    .min(1),
});

/** A tool as Workers AI takes it, without a function around it, is one all the same. */
const BareTool = z.looseObject({ name: z.string(), function: z.undefined().optional() });

async function run(env: GateEnv, model: string, given: unknown, chosen: unknown): Promise<unknown> {
  const inputs = Inputs.safeParse(given);
  const { returnRawResponse = false } = Options.parse(chosen);
  const body = inputs.success ? JSON.stringify({ ...inputs.data, model, ...toolsOf(inputs.data) }) : "";
  const onlyTrial = onlyTrialOf(env);
  const whose = attribute({ headers: new Headers(), prompt: body, onlyTrial });
  if (whose === null || !inputs.success) {
    const why = inputs.success ? "no-rule" : "no-model-request";
    const response = await refuse(env, whose, { way: "ai-binding", why, request: `AI.run ${model}` });
    if (returnRawResponse) return response;
    throw new Error(await response.text());
  }
  const seen = { method: "POST", url: "https://ai.invalid/", headers: new Headers(), body, stars: [] };
  const response = await askModel({ kind: "model", dialect: "chat/completions" }, { env, whose, seen });
  if (returnRawResponse) return response;
  if (!response.ok) throw new Error(await response.text());
  if (response.headers.get("content-type")?.includes("event-stream") === true) return response.body;
  return bothShapes(await response.json());
}

function toolsOf({ tools }: Readonly<Record<string, unknown>>): { tools?: unknown[] } {
  if (!Array.isArray(tools)) return {};
  return {
    tools: tools.map((tool: unknown) => {
      const bare = BareTool.safeParse(tool);
      return bare.success ? { type: "function", function: bare.data } : tool;
    }),
  };
}

function bothShapes(answered: unknown): unknown {
  const completion = Completion.parse(answered);
  const message = completion.choices[0]?.message;
  return {
    ...completion,
    response: message?.content ?? "",
    tool_calls: (message?.tool_calls ?? []).map(({ function: { name, arguments: written } }) => ({
      name,
      arguments: JSON.parse(written) as unknown,
    })),
  };
}

export class Ai extends WorkerEntrypoint<GateEnv> {
  run(model: string, inputs: unknown, options?: unknown): Promise<unknown> {
    return run(this.env, model, inputs, options);
  }

  gateway(_id: string): Gateway {
    return new Gateway(this.env);
  }
}

/** A gateway's universal request: the first of its providers answers. */
const Universal = z.looseObject({ endpoint: z.string().optional(), query: z.unknown() });

class Gateway extends RpcTarget {
  readonly #env: GateEnv;

  constructor(env: GateEnv) {
    super();
    this.#env = env;
  }

  async run(requests: unknown): Promise<Response> {
    const [first] = z
      .array(Universal)
      .min(1)
      .parse(Array.isArray(requests) ? requests : [requests]);
    const named = z.looseObject({ model: z.string().optional() }).safeParse(first?.query);
    const model = (named.success ? named.data.model : undefined) ?? first?.endpoint ?? UNNAMED;
    return (await run(this.#env, model, first?.query, { returnRawResponse: true })) as Response;
  }
}

const UNNAMED = "a model without a name";
