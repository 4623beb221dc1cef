/**
 * What a user begins with: a `recovery.config.ts`, with her binding in it and what only she knows marked, and an example of an
 * experiment.
 */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { machineErrorOf } from "../../base/machine-error.ts";
import { shownPath } from "../../base/shown-path.ts";
import { UserError } from "../../base/user-error.ts";
import { PACKAGE } from "./definer.ts";
import { ownBindings } from "./own-config.ts";

const WRANGLER_FILES = ["wrangler.jsonc", "wrangler.json"] as const;

/**
 * Writes both beside her wrangler file; neither is written where one of them is there.
 *
 * @returns their paths: the configuration, the example.
 * @throws UserError where there is nothing to begin from, or one of them is there.
 */
export async function writeFirstFiles(
  folder: string,
): Promise<readonly [config: string, experiment: string]> {
  const wrangler = WRANGLER_FILES.find((name) => existsSync(join(folder, name)));
  if (wrangler === undefined)
    throw new UserError(
      `there is no wrangler.jsonc in ${shownPath(folder)}: run init in your Worker's folder`,
    );
  const bindings = ownBindings(join(folder, wrangler));
  const [first, ...others] = bindings.map(({ name }) => name);
  if (first === undefined)
    throw new UserError(
      `${shownPath(join(folder, wrangler))}: it binds no Durable Object (durable_objects.bindings), so there is nothing to lose`,
    );
  const [config, experiment] = [join(folder, "recovery.config.ts"), join(folder, "recovery.experiment.ts")];
  for (const path of [config, experiment]) if (existsSync(path)) throw isThere(path);
  await writeNew(config, firstConfig(wrangler, first, others));
  await writeNew(experiment, FIRST_EXPERIMENT);
  return [config, experiment];
}

/** Exclusive: what she has written is never replaced, by a second `init` at the same time neither. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw isThere(path);
    throw machineErrorOf(error, { operation: "write", path }) ?? error;
  }
}

function isThere(path: string): UserError {
  return new UserError(`${shownPath(path)} is there already, and stays as it is`);
}

function firstConfig(wrangler: string, binding: string, others: readonly string[]): string {
  const also = others.length === 0 ? "" : ` // or: ${others.join(", ")}`;
  return `import { defineTrial } from "${PACKAGE}";

// Change what is marked CHANGE; docs/own-agent.md of the kit has every field. The functions of \`client\` run in your Worker.
export default defineTrial({
  wrangler: ${JSON.stringify(wrangler)},
  object: { binding: ${JSON.stringify(binding)} },${also}
  client: {
    // CHANGE: hands in the work that makes one change outside.
    submit: async ({ object, operationId }) => object.start(operationId),
    // CHANGE: what became of it; "pending" until it is known.
    result: async ({ object, operationId }) => {
      const text = await object.resultOf(operationId);
      return text === null ? { status: "pending" } : { status: "done", text };
    },
    // CHANGE: later work that changes nothing outside.
    later: async ({ object }) => object.visit(),
  },
  // CHANGE: the request that makes the change. Every other one is refused and recorded; none is sent out.
  // With \`key: { header: "Idempotency-Key" }\` it is counted by that; \`unique: true\` makes one effect for each key.
  destinations: [{ match: "POST https://api.example.com/items", action: "create-item" }],
  // With a \`script\`, the kit answers your model's requests and calls your tools by it:
  // model: [{ match: "POST https://api.provider.example/*" }],
  // prompt: "Create the item.",
  // script: [{ call: "create_item", arguments: { title: "one" } }, { answer: "done" }],
});
`;
}

const FIRST_EXPERIMENT = `import { defineExperiment, USUAL_TRIAL } from "${PACKAGE}/experiment";

// The same loss on a harness of the kit: what it does by itself, before your tool comes into it.
export default defineExperiment({
  name: "gap",
  title: "A loss between a commit and its receipt",
  description: "The host is lost after the effect is committed and before the agent learns of it.",
  // One level of every factor; what a block names is varied, and its lists are crossed.
  defaults: { ...USUAL_TRIAL, subject: "ai-sdk" },
  blocks: [
    {
      name: "gap",
      levels: { reset: ["abort", "kill"], destination: ["append", "unique"] },
      // What you expect of it; a verdict that differs makes the run red. Nothing is expected of what is not named.
      expect: [{ when: { destination: "unique" }, verdict: { effects: 1 } }],
    },
  ],
  // Broken on purpose: a judge that does not convict it says nothing about the others.
  canaries: [{ levels: { subject: "canary-replay" }, verdict: { flags: ["duplicate"] } }],
});
`;
