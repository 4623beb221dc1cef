/**
 * The text of a source as it stands in the package: JavaScript, because Node strips no types under `node_modules`, with the names
 * of files and commands as they are there. Leaves reading and writing to `build-package.ts`.
 */
import { posix } from "node:path";
import { transformSync } from "esbuild";

/** What has to be known of the checkout to name things as the package has them. */
export type Packaging = {
  /** Paths from the root of every file that goes in. */
  readonly files: ReadonlySet<string>;
  /** Scripts of the checkout's `package.json`. */
  readonly scripts: Readonly<Record<string, string>>;
};

const ENTRY = "node scripts/recovery-kit.mjs";
const PROGRAM = "npx recovery-kit";

/** Where a source lies in the package. */
export function packagedPath(path: string): string {
  return path.replace(/(?<!\.d)\.ts$/, ".js");
}

/** A source as the package has it. `path` from the root, with `/`. */
export function packagedSource(text: string, path: string, packaging: Packaging): string {
  const renamed = packagedCommands(packagedNames(text, path, packaging), packaging);
  if (!path.endsWith(".ts")) return renamed;
  // The newest target: an older one takes away the attributes of imports.
  return transformSync(renamed, { loader: "ts", format: "esm", target: "esnext", sourcefile: path }).code;
}

/**
 * Literals that name a source, from the file's folder, a folder below it or the root, name what is made of it. Others stay:
 * `recovery.config.ts` is the user's.
 */
export function packagedNames(text: string, path: string, { files }: Packaging): string {
  const folder = posix.dirname(path);
  const isSource = (name: string) =>
    [posix.join(folder, name), posix.normalize(name)].some((one) => files.has(one)) ||
    (!name.includes("/") &&
      [...files].some((one) => one.startsWith(`${folder}/`) && one.endsWith(`/${name}`)));
  return text.replaceAll(/(["'`])([\w@./-]+)\.ts\1/g, (found, quote: string, name: string) =>
    isSource(`${name}.ts`) ? `${quote}${name}.js${quote}` : found,
  );
}

/** `npm run …` of the checkout is the program of the package. */
export function packagedCommands(text: string, { scripts }: Pick<Packaging, "scripts">): string {
  return text
    .replaceAll(/\bnpm run ([\w:-]+)( --(?=[ `]))?/g, (found, name: string) => {
      const command = Object.hasOwn(scripts, name) ? (scripts[name] ?? "") : "";
      return command === ENTRY || command.startsWith(`${ENTRY} `) ? command.replace(ENTRY, PROGRAM) : found;
    })
    .replaceAll("npm ci", "npm install");
}
