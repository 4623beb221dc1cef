/** The `recovery.config.ts` that a user begins with: her binding is in it, and what only she knows is marked. */
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
 * Writes it beside her configuration; a file that is there stays as it is.
 *
 * @returns its path.
 * @throws UserError where there is nothing to begin from, or it is there.
 */
export async function writeFirstConfig(folder: string): Promise<string> {
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
  const path = join(folder, "recovery.config.ts");
  try {
    // Exclusive: what she has written is never replaced, by a second `init` at the same time neither.
    await writeFile(path, firstConfig(wrangler, first, others), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new UserError(`${shownPath(path)} is there already, and stays as it is`);
    throw machineErrorOf(error, { operation: "write", path }) ?? error;
  }
  return path;
}

function firstConfig(wrangler: string, binding: string, others: readonly string[]): string {
  const also = others.length === 0 ? "" : ` // or: ${others.join(", ")}`;
  return `import { defineTrial } from "${PACKAGE}";

// Change what is marked CHANGE. The functions of \`client\` run in your Worker.
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
  destinations: [{ match: "POST https://api.example.com/items", action: "create-item" }],
});
`;
}
