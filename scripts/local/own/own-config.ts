/**
 * A user's own `wrangler.jsonc`, as far as the kit has to know it, and what in it keeps her Worker from being tried on this
 * machine. Everything else of it goes to wrangler as it is.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "jsonc-parser";
import { z } from "zod";
import { shownPath } from "../../base/shown-path.ts";
import { UserError } from "../../base/user-error.ts";

const Bound = z.looseObject({ name: z.string(), class_name: z.string(), script_name: z.string().optional() });
const Config = z.looseObject({
  name: z.string().default("own"),
  main: z.string({ error: "it names no `main`" }),
  compatibility_date: z.string({ error: "it has no `compatibility_date`" }),
  compatibility_flags: z.array(z.string()).default([]),
  durable_objects: z.looseObject({ bindings: z.array(Bound).default([]) }).default({ bindings: [] }),
  migrations: z
    .array(
      z.looseObject({
        new_classes: z.array(z.string()).default([]),
        new_sqlite_classes: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  services: z.array(z.looseObject({ binding: z.string(), service: z.string() })).default([]),
  ai: z.looseObject({ binding: z.string() }).optional(),
});

export type OwnConfig = {
  /** Of the file, and of the folder that it lies in. */
  readonly path: string;
  readonly folder: string;
  readonly name: string;
  readonly main: string;
  readonly className: string;
  /** Binding of the AI stand-in; null where she has none. */
  readonly ai: string | null;
};

/** Her bindings of Durable Objects, in her order. @throws UserError where the file cannot be read as a configuration. */
export function ownBindings(path: string): readonly { readonly name: string; readonly className: string }[] {
  return configIn(resolve(path)).durable_objects.bindings.map(({ name, class_name }) => ({
    name,
    className: class_name,
  }));
}

/** @throws UserError with the first thing that is wrong. */
export function readOwnConfig(path: string, binding: string): OwnConfig {
  const file = resolve(path);
  const complain = (sentence: string) => complainOf(file, sentence);
  const { name, main, compatibility_flags, durable_objects, migrations, services, ai } = configIn(file);
  const { bindings } = durable_objects;
  const bound = bindings.find((one) => one.name === binding);
  if (bound === undefined) {
    const known = bindings.map((one) => one.name).join(", ") || "none";
    return complain(`there is no Durable Object binding '${binding}'; there are: ${known}`);
  }
  const elsewhere = bindings.find(({ script_name }) => script_name !== undefined && script_name !== name);
  if (elsewhere !== undefined)
    complain(
      `binding '${elsewhere.name}' leads to a class of another Worker (script_name '${elsewhere.script_name}'), which is not here`,
    );
  const absent = services.find(({ service }) => service !== name);
  if (absent !== undefined)
    complain(`service '${absent.binding}' leads to the Worker '${absent.service}', which is not here`);
  const { class_name: className } = bound;
  if (migrations.some(({ new_classes }) => new_classes.includes(className)))
    complain(
      `class '${className}' has storage without SQL (new_classes), in which the kit cannot keep who an object is: use new_sqlite_classes`,
    );
  if (!migrations.some((one) => [...one.new_sqlite_classes, ...one.new_classes].includes(className)))
    complain(`no migration brings the class '${className}' (new_sqlite_classes)`);
  if (!compatibility_flags.includes("nodejs_compat"))
    complain("compatibility_flags lacks nodejs_compat, which what is laid over her classes needs");
  const folder = dirname(file);
  const source = resolve(folder, main);
  if (!existsSync(source)) complain(`its main, ${shownPath(source)}, is not there`);
  return { path: file, folder, name, main: join(source), className, ai: ai?.binding ?? null };
}

function configIn(file: string): z.infer<typeof Config> {
  if (!existsSync(file))
    throw new UserError(`there is no ${shownPath(file)}: name her configuration under 'wrangler'`);
  if (file.endsWith(".toml")) complainOf(file, "only wrangler.jsonc and wrangler.json are read");
  const parsed = Config.safeParse(parse(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return complainOf(
    file,
    issue?.path.length === 1 && issue.message.startsWith("it ")
      ? issue.message
      : z.prettifyError(parsed.error).replaceAll("\n", " "),
  );
}

function complainOf(file: string, sentence: string): never {
  throw new UserError(`${shownPath(file)}: ${sentence}`);
}
