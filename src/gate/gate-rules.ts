/**
 * What becomes of the requests that leave an agent's Worker, as plain JSON: it goes to the gate Worker through a binding. A
 * request that no rule names is refused.
 *
 * Leaves to others: applying the rules (route-request.ts), and how a user writes them down (`defineTrial`).
 */
import { z } from "zod";
import { DialectPath } from "../model/dialects/index.ts";
import { Action } from "../trace/ids.ts";

/**
 * Which requests a rule is for: `POST https://api.github.com/repos/*\/issues`. `*` stands for any run of characters, `/`
 * among them; as a method, for any method. Without a `?` the rule says nothing about the query.
 */
export const Match = z
  .string()
  .max(2_000)
  .regex(
    /^(\*|[A-Z]+) (https?|wss?):\/\/[^\s#]+$/,
    "write a method and an address with '*' for what varies, such as 'POST https://api.example.com/items/*'",
  );
export type Match = z.infer<typeof Match>;

/** Where a value stands in a request. A text alone is a constant. */
export const ValueSource = z.union(
  [
    z.string().min(1).max(200),
    z.strictObject({ header: z.string().min(1).max(200) }),
    /** Field of a JSON body, by names and list indexes: `items.0.title`. */
    z.strictObject({ body: z.string().min(1).max(500) }),
    z.strictObject({ query: z.string().min(1).max(200) }),
    /** What the n-th `*` of the rule's address stands for, from 1. */
    z.strictObject({ star: z.number().int().min(1).max(20) }),
    /** SHA-256 of method, address and body. */
    z.strictObject({ hash: z.literal("payload") }),
  ],
  "write a constant text, or where it stands: { header }, { body }, { query }, { star } or { hash: 'payload' }",
);
export type ValueSource = z.infer<typeof ValueSource>;

/** JSON in whose texts `{{name}}` stands for a value; a text that is nothing else takes the value's own type. */
const Template = z.json();
/** One such place. */
export const PLACE = /\{\{\s*([a-z]+)(?::([^{}]*?))?\s*\}\}/gi;

/** What has a value wherever there is a request. */
const OF_REQUEST = ["action", "key", "body", "star"] as const;

/** A template in which every place has a value: one that has none would be null without a word. */
function filledWith<T extends z.ZodType>(template: T, ...names: readonly string[]) {
  const known: readonly string[] = [...names, ...OF_REQUEST];
  return template.superRefine((written, context) => {
    const unknown = [...JSON.stringify(written ?? null).matchAll(PLACE)].find(
      ([, name]) => !known.includes(name ?? ""),
    );
    if (unknown !== undefined)
      context.addIssue({
        code: "custom",
        message: `${unknown[0]} stands for nothing here; there are: ${known.map((name) => `{{${name}}}`).join(", ")}`,
      });
  });
}

export const ResponseTemplate = z.strictObject({
  status: z.number().int().min(200).max(599).default(200),
  headers: z.record(z.string(), z.string()).default({}),
  /** A text goes out as it is, everything else as JSON. */
  body: Template.default(null),
});
export type ResponseTemplate = z.infer<typeof ResponseTemplate>;

const Destined = z.strictObject({
  match: Match,
  /** What effects are counted by. A constant must be a name that a trace can hold. */
  action: ValueSource.refine((source) => typeof source !== "string" || Action.safeParse(source).success, {
    message: "name the action with A-Z, a-z, 0-9, '.', '_', ':' and '-', at most 120",
  }),
  /** What tells a repeat from another change; absent where requests carry no key. */
  key: ValueSource.optional(),
  /** Where a request says which call of a tool it serves; absent where it does not. */
  call: ValueSource.optional(),
});

/** A request that is to change something: an attempt. */
export const DestinationRule = Destined.extend({
  /** Of the ledger's answer: `{{receipt}}`, `{{effect}}`, `{{attempt}}`, `{{action}}`, `{{key}}`, `{{body:<field>}}`, `{{star:<n>}}`. */
  receipt: filledWith(ResponseTemplate, "receipt", "effect", "attempt", "deduplicated").default({
    status: 200,
    headers: {},
    body: { id: "{{receipt}}" },
  }),
  /** The answer to an attempt that definitely changed nothing. */
  rejected: filledWith(ResponseTemplate).default({ status: 503, headers: {}, body: { error: "not done" } }),
});
export type DestinationRule = z.infer<typeof DestinationRule>;

/** A request that asks whether something was done: a look-up. */
export const LookUpRule = Destined.extend({
  /** One entry of what was found: `{{receipt}}`, `{{effect}}`, `{{action}}`, `{{key}}`, `{{body:<field>}}`, `{{star:<n>}}`. */
  entry: filledWith(Template, "receipt", "effect").default({ id: "{{receipt}}" }),
  /** `{{entries}}`: all that was found, which may be nothing; `{{entry}}`: the first of them, or null. */
  found: filledWith(ResponseTemplate, "entries", "entry").default({
    status: 200,
    headers: {},
    body: "{{entries}}",
  }),
  /** Where nothing was found; absent for the same answer. */
  missing: filledWith(ResponseTemplate, "entries", "entry").optional(),
});
export type LookUpRule = z.infer<typeof LookUpRule>;

/** Which requests are the model's, beside those that can be told by the end of their path and the shape of their body. */
export const ModelRule = z.strictObject({
  match: Match,
  /** The protocol in which the client speaks; absent where the end of the path tells. */
  dialect: DialectPath.optional(),
});
export type ModelRule = z.infer<typeof ModelRule>;

/** What may really be sent: to this machine alone. */
const Allowed = Match.regex(
  /^\S+ https?:\/\/127\.0\.0\.1(?=[:/*?]|$)/,
  "only addresses of 127.0.0.1 may be allowed: everything else is answered here or refused",
);

export const GateRules = z.strictObject({
  destinations: z.array(DestinationRule).max(50).default([]),
  lookUps: z.array(LookUpRule).max(50).default([]),
  model: z.array(ModelRule).max(50).default([]),
  allow: z.array(Allowed).max(50).default([]),
});
export type GateRules = z.infer<typeof GateRules>;
