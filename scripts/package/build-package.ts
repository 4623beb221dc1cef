/**
 * `npm run build`: makes the package that users install, in `dist/`: `cd dist && npm pack`. It mirrors the checkout as
 * JavaScript, so that each file finds the others where it does here, and leaves out what works on the kit itself.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join, sep } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { z } from "zod";
import { KIT_WORK } from "../base/kit-work.ts";
import { REPOSITORY } from "../base/repository.ts";
import { packagedPath, packagedSource } from "./package-text.ts";

const Manifest = z.object({
  version: z.string(),
  description: z.string(),
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
});

const SOURCES = [
  "src/**/*",
  "scripts/**/*",
  "experiments/**/*",
  "ledger-worker/src/**/*",
  "ledger-worker/*.jsonc",
];
const MIRRORED = ["wrangler.jsonc", ...SOURCES];
const COPIED = ["README.md", "docs"];
const LEFT_OUT = [
  /\.test\.ts$/,
  /(^|\/)testing\//,
  /^src\/reconcile\/cases\//,
  /^scripts\/(package|checks\/(bench|contract|golden|oracle|schemas))\//,
  ...KIT_WORK.map((name) => new RegExp(`^scripts/commands/${name}-command\\.ts$`)),
];
/** They have to be the user's own: what she measures is what she has. */
const PEERS: Readonly<Record<string, string>> = { agents: ">=0.32.0 <1", wrangler: ">=4.164.0 <5" };
/** What the package offers to import, and the source of its types. */
const EXPORTS = {
  ".": "src/own/define-trial.ts",
  "./experiment": "experiments/define-experiment.ts",
} as const;

const manifest = Manifest.parse(JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")));
const { out } = parseArgs({ options: { out: { type: "string", default: join(REPOSITORY, "dist") } } }).values;

const sources = globSync(MIRRORED, { cwd: REPOSITORY, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(REPOSITORY.length + 1)
      .replaceAll(sep, "/"),
  )
  .filter((path) => !LEFT_OUT.some((pattern) => pattern.test(path)))
  .sort();
const packaging = { files: new Set(sources), scripts: manifest.scripts };

rmSync(out, { recursive: true, force: true });
for (const path of sources) write(packagedPath(path), packagedSource(read(path), path, packaging));
for (const path of COPIED) cpSync(join(REPOSITORY, path), join(out, path), { recursive: true });
writeTypes();
write("package.json", `${JSON.stringify(packagedManifest(await packagesOf(sources)), null, 2)}\n`);
chmodSync(join(out, "scripts/recovery-kit.mjs"), 0o755);
process.stdout.write(`${sources.length} files in ${out}; the package: cd ${out} && npm pack\n`);

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), "utf8");
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}

/** Declarations of what can be imported, and of what these import. */
function writeTypes(): void {
  const tsc = createRequire(import.meta.url).resolve("typescript/package.json");
  const args = [join(dirname(tsc), "bin/tsc"), "-p", join(REPOSITORY, "scripts/package/tsconfig.types.json")];
  execFileSync(process.execPath, [...args, "--outDir", join(out, "types")], {
    cwd: REPOSITORY,
    stdio: "inherit",
  });
  for (const path of globSync("**/*.d.ts", { cwd: join(out, "types") })) {
    const from = join(out, "types", path);
    writeFileSync(from, readFileSync(from, "utf8").replaceAll(/(["'])(\.[\w./-]+)\.ts\1/g, "$1$2.js$1"));
  }
}

/** Packages that the files import, whichever of them a command comes to. */
async function packagesOf(files: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: files.filter((path) => /\.(ts|mjs)$/.test(path) && !path.endsWith(".d.mts")),
    absWorkingDir: REPOSITORY,
    bundle: true,
    packages: "external",
    external: ["cloudflare:*", "#host"],
    format: "esm",
    platform: "node",
    loader: { ".css": "text" },
    metafile: true,
    write: false,
    outdir: "out",
    logLevel: "error",
    // What a command of work on the kit imports is not here.
    plugins: [
      {
        name: "left-out",
        setup: ({ onResolve }) =>
          onResolve({ filter: /-command\.ts$/ }, ({ path }) =>
            KIT_WORK.some((name) => path.endsWith(`/${name}-command.ts`))
              ? { path, external: true }
              : undefined,
          ),
      },
    ],
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path }) => path),
  );
  const names = imported
    .filter((path) => /^(@[\w-]+\/)?[\w-]/.test(path) && !path.includes(":") && !isBuiltin(path))
    .map((path) =>
      path
        .split("/")
        .slice(0, path.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  return [...new Set(names)].filter((name) => !name.startsWith("@opencode/")).sort();
}

function packagedManifest(names: readonly string[]): object {
  const pinned: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };
  const versionOf = (name: string) => {
    const version = pinned[name];
    if (version === undefined) throw new Error(`${name} is imported, and package.json does not name it`);
    return version;
  };
  return {
    name: "opencode-do-recovery-kit",
    version: manifest.version,
    description: manifest.description,
    type: "module",
    engines: { node: ">=20" },
    bin: { "recovery-kit": "scripts/recovery-kit.mjs" },
    exports: Object.fromEntries(
      Object.entries(EXPORTS).map(([name, source]) => [
        name,
        { types: `./types/${source.replace(/\.ts$/, ".d.ts")}`, default: `./${packagedPath(source)}` },
      ]),
    ),
    dependencies: Object.fromEntries(
      names.filter((name) => !Object.hasOwn(PEERS, name)).map((name) => [name, versionOf(name)]),
    ),
    peerDependencies: PEERS,
    optionalDependencies: manifest.optionalDependencies,
  };
}
