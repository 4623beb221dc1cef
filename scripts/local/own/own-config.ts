/**
 * A user's own `wrangler.jsonc`, as far as the kit has to know it, and what in it keeps her Worker from being tried on this
 * machine. Everything else of it goes to wrangler as it is.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
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
  const { complaints, config } = examineOwnConfig(path, binding);
  const [first] = complaints;
  if (first !== undefined) return complainOf(resolve(path), first);
  return config;
}

/**
 * What the kit reads of it for one binding, and every reason why it could not be tried, in the order in which they are to be
 * mended. `config` holds where there are none.
 *
 * @throws UserError where it cannot be read as a configuration.
 */
export function examineOwnConfig(
  path: string,
  binding: string,
): { readonly complaints: readonly string[]; readonly config: OwnConfig } {
  const file = resolve(path);
  const { name, main, compatibility_flags, durable_objects, migrations, services, ai } = configIn(file);
  const { bindings } = durable_objects;
  const folder = dirname(file);
  const source = resolve(folder, main);
  const complaints: string[] = [];
  const bound = bindings.find((one) => one.name === binding);
  if (bound === undefined) {
    const known = bindings.map((one) => one.name).join(", ") || "none";
    complaints.push(`there is no Durable Object binding '${binding}'; there are: ${known}`);
  }
  for (const { name: other, script_name } of bindings)
    if (script_name !== undefined && script_name !== name)
      complaints.push(
        `binding '${other}' leads to a class of another Worker (script_name '${script_name}'), which is not here`,
      );
  for (const { binding: other, service } of services)
    if (service !== name)
      complaints.push(`service '${other}' leads to the Worker '${service}', which is not here`);
  const className = bound?.class_name ?? "";
  if (bound !== undefined) complaints.push(...complaintsOfMigrations(migrations, className));
  if (!compatibility_flags.includes("nodejs_compat"))
    complaints.push("compatibility_flags lacks nodejs_compat, which what is laid over your classes needs");
  if (!existsSync(source)) complaints.push(`its main, ${shownPath(source)}, is not there`);
  return {
    complaints,
    config: { path: file, folder, name, main: source, className, ai: ai?.binding ?? null },
  };
}

function complaintsOfMigrations(
  migrations: z.infer<typeof Config>["migrations"],
  className: string,
): readonly string[] {
  if (migrations.some(({ new_classes }) => new_classes.includes(className)))
    return [
      `class '${className}' has storage without SQL (new_classes), in which the kit cannot keep who an object is: use new_sqlite_classes`,
    ];
  if (!migrations.some(({ new_sqlite_classes }) => new_sqlite_classes.includes(className)))
    return [`no migration brings the class '${className}' (new_sqlite_classes)`];
  return [];
}

/** The date by which the runtime chooses its behaviour. @throws UserError likewise. */
export function ownCompatibilityDate(path: string): string {
  return configIn(resolve(path)).compatibility_date;
}

function configIn(file: string): z.infer<typeof Config> {
  if (!existsSync(file))
    throw new UserError(`there is no ${shownPath(file)}: name your configuration under 'wrangler'`);
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
