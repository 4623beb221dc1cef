/**
 * A user's Worker made ready to run under trial: bundled by wrangler from her own configuration, with a generated entry in the
 * place of her `main`. Nothing is written into her folder but what wrangler itself leaves there.
 */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { z } from "zod";
import { GateRules } from "../../../src/gate/gate-rules.ts";
import { WITNESS_CLASS } from "../../../src/own/own-names.ts";
import type { TrialDefinition } from "../../../src/own/trial-definition.ts";
import type { HostIdentity, OwnSources } from "../../../src/trace/spec.ts";
import { packageFolder } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";
import { sha256Of, type WorkerBundle } from "../workerd/bundle.ts";
import { DESCRIBE_VARIABLE, Described, type DescribeRequest } from "../workerd/bundle-protocol.ts";
import { chooseHost, installedVersion } from "../workerd/host-choice.ts";
import { DEFINER, PACKAGE } from "./definer.ts";
import type { OwnConfig } from "./own-config.ts";

const OWN = fileURLToPath(new URL("../../../src/own/", import.meta.url));
/** The stand-in of each OpenCode package, where hers are not installed. */
const STAND_IN = fileURLToPath(new URL("../../../src/host/stand-in/", import.meta.url));
const STAND_INS: readonly (readonly [name: string, module: string, file: string])[] = [
  ["@opencode/sdk", "@opencode/sdk/workerd", "workerd"],
  ["@opencode/plugin", "@opencode/plugin", "define-plugin"],
];
const DESCRIBER = fileURLToPath(new URL("../workerd/describe-worker.ts", import.meta.url));
const SOURCE = import.meta.url.endsWith(".ts") ? ".ts" : ".js";

export type OwnProject = {
  readonly bundle: WorkerBundle;
  readonly className: string;
  readonly rules: GateRules;
  readonly sources: OwnSources;
  /** The OpenCode host that went into the bundle; `none` where there is none. */
  readonly host: HostIdentity;
  readonly nameOf: (trial: string) => string;
};

/** esbuild's account of what went in. */
const Metafile = z.object({ inputs: z.record(z.string(), z.unknown()) });
const MADE_UP = /^[a-z][a-z0-9-]+:/;
const MODULE_TYPES: readonly (readonly [RegExp, "Text" | "Data" | "CompiledWasm"])[] = [
  [/\.wasm(\?module)?$/, "CompiledWasm"],
  [/\.(txt|html|sql|md)$/, "Text"],
  [/\.bin$/, "Data"],
];

/** @throws UserError with the bundler's words when her sources cannot be bundled. */
export async function bundleOwn(
  config: OwnConfig,
  definition: TrialDefinition,
  definitionPath: string,
  signal: AbortSignal,
): Promise<OwnProject> {
  const workDir = await mkdtemp(join(tmpdir(), "recovery-kit-own-"));
  try {
    const entry = join(workDir, "own-entry.ts");
    const exports = await exportsOf(config.main);
    if (!exports.includes(config.className))
      throw new UserError(
        `${relative(process.cwd(), config.main)} exports no class '${config.className}'; it exports: ${exports.join(", ") || "nothing"}`,
      );
    await writeFile(entry, entryText(config, resolve(definitionPath), definition, exports));
    const outdir = join(workDir, "out");
    await mkdir(outdir);
    const metafile = join(workDir, "inputs.json");
    const request: DescribeRequest = { config: config.path, answer: join(workDir, "described.json") };
    await runWrangler(config, { entry, outdir, metafile, request, workDir, signal });
    const script = await readFile(join(outdir, "own-entry.js"), "utf8");
    const described = Described.parse(JSON.parse(await readFile(request.answer, "utf8")));
    const { inputs } = Metafile.parse(JSON.parse(await readFile(metafile, "utf8")));
    const files = filesOf(Object.keys(inputs), config.folder);
    const modules = modulesIn(outdir);
    const name = described.name ?? config.name;
    const code = modules.map((one) => [one.name, sha256Of(one.contents)]);
    return {
      bundle: {
        role: "subject",
        name,
        script,
        sha256: sha256Of(script),
        modules,
        compatibilityDate: described.compatibilityDate ?? "",
        compatibilityFlags: described.compatibilityFlags,
        options: withKit(described.options, config),
      },
      className: config.className,
      rules: rulesOf(definition),
      sources: {
        worker: name,
        class: config.className,
        wrap: true,
        main: sha256Of(readFileSync(config.main)),
        files: { ...files, ...(code.length === 0 ? {} : Object.fromEntries(code)) },
      },
      host: hostIn(Object.keys(inputs), config),
      nameOf: (definition.object.name as ((trial: string) => string) | undefined) ?? ((trial) => trial),
    };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The names that her main exports. Packages are left alone: what they export is not hers to be followed. */
async function exportsOf(main: string): Promise<readonly string[]> {
  try {
    const { metafile } = await build({
      entryPoints: [main],
      bundle: true,
      format: "esm",
      packages: "external",
      external: ["cloudflare:*", "node:*"],
      loader: {
        ".txt": "text",
        ".html": "text",
        ".sql": "text",
        ".wasm": "binary",
        ".bin": "binary",
        ".md": "text",
      },
      metafile: true,
      write: false,
      outdir: "out",
      logLevel: "silent",
    });
    return Object.values(metafile.outputs).flatMap((output) =>
      output.entryPoint === undefined ? [] : output.exports,
    );
  } catch (error) {
    const [first, second] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new UserError(`your sources cannot be bundled: ${[first, second].filter(Boolean).join(" ")}`);
  }
}

/** A module's own exports go before those that a star brings. */
function entryText(
  { main, className }: OwnConfig,
  definitionPath: string,
  { object }: TrialDefinition,
  exports: readonly string[],
): string {
  const named = exports.filter((name) => name !== "default");
  const own = (file: string) => JSON.stringify(join(OWN, `${file}${SOURCE}`));
  return [
    `import ${own("outgoing")};`,
    `import { ${WITNESS_CLASS}, ownWorker, underOwnTrial } from ${own("own-worker")};`,
    `import * as hers from ${JSON.stringify(main)};`,
    `import definition from ${JSON.stringify(definitionPath)};`,
    `const trial = { ...definition, object: { ...definition.object, class: ${JSON.stringify(className)}, binding: ${JSON.stringify(object.binding)} } };`,
    `export * from ${JSON.stringify(main)};`,
    ...named.map(
      (name, index) =>
        `const own${index} = underOwnTrial(hers[${JSON.stringify(name)}], ${JSON.stringify(name)}, trial);`,
    ),
    ...named.map((name, index) => `export { own${index} as ${name} };`),
    `export { ${WITNESS_CLASS} };`,
    `export default ownWorker(hers["default"], trial);`,
    "",
  ].join("\n");
}

async function runWrangler(
  { path, folder }: OwnConfig,
  asked: {
    readonly entry: string;
    readonly outdir: string;
    readonly metafile: string;
    readonly request: DescribeRequest;
    readonly workDir: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { entry, outdir, metafile, request, workDir, signal } = asked;
  const wrangler = wranglerNear(folder);
  const args = ["--no-warnings", "--require", DESCRIBER, wrangler, "deploy", entry, "--dry-run"];
  args.push("--config", path, "--outdir", outdir, "--metafile", metafile, "--alias", `${PACKAGE}:${DEFINER}`);
  for (const [name, module, file] of STAND_INS)
    if (packageFolder(name, folder) === null) args.push("--alias", `${module}:${STAND_IN}${file}${SOURCE}`);
  const env = {
    ...process.env,
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_LOG_PATH: join(workDir, "logs"),
    NO_COLOR: "1",
    [DESCRIBE_VARIABLE]: JSON.stringify(request),
  };
  try {
    await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env,
      maxBuffer: 16 * 1024 * 1024,
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const { stderr = "", message = "" } = error as { stderr?: string; message?: string };
    const said = (stderr || message)
      .trim()
      .split("\n")
      .filter((line) => /\S/.test(line));
    throw new UserError(`wrangler could not bundle your Worker: ${said.slice(0, 6).join(" ")}`);
  }
}

/** Hers where she has one that knows what is asked of it, else the kit's. */
function wranglerNear(folder: string): string {
  for (const from of [join(folder, "package.json"), import.meta.url])
    try {
      return createRequire(from).resolve("wrangler");
    } catch {
      // The next one.
    }
  throw new UserError("wrangler is not installed: npm install --save-dev wrangler");
}

/** By what went into the bundle, whatever was asked for. */
function hostIn(inputs: readonly string[], { folder, className }: OwnConfig): HostIdentity {
  const files = inputs.filter((input) => !MADE_UP.test(input)).map((input) => resolve(folder, input));
  if (files.some((file) => file.startsWith(STAND_IN))) {
    const { kind, name, version } = chooseHost("stand-in");
    return { kind, name, version };
  }
  const name = "@opencode/sdk";
  return files.some((file) => file.includes(`${sep}node_modules${sep}${name.replace("/", sep)}${sep}`))
    ? { kind: "sdk", name, version: installedVersion(name, folder) ?? "unknown" }
    : { kind: "none", name: className, version: "" };
}

/** Of her folder's files that went in, packages left out, by their path from there. */
function filesOf(inputs: readonly string[], folder: string): Record<string, string> {
  const own = inputs
    .filter((input) => !MADE_UP.test(input))
    .map((input) => resolve(folder, input))
    .filter((file) => file.startsWith(folder + sep) && !file.includes(`${sep}node_modules${sep}`))
    .filter((file) => existsSync(file));
  return Object.fromEntries(own.sort().map((file) => [relative(folder, file), sha256Of(readFileSync(file))]));
}

function modulesIn(outdir: string): NonNullable<WorkerBundle["modules"]> {
  const names = readdirSync(outdir, { recursive: true, encoding: "utf8" });
  return names.flatMap((name) => {
    const type = MODULE_TYPES.find(([pattern]) => pattern.test(name))?.[1];
    if (type === undefined || name === "README.md") return [];
    return [{ name, type, contents: new Uint8Array(readFileSync(join(outdir, name))) }];
  });
}

/** Her bindings, with the kit's beside them. */
function withKit(options: WorkerBundle["options"], { ai, name }: OwnConfig): WorkerBundle["options"] {
  const { ai: _, ...hers } = options as Record<string, unknown>;
  const services = z.record(z.string(), z.unknown()).default({}).parse(hers.serviceBindings);
  return {
    ...hers,
    name,
    durableObjects: {
      ...(hers.durableObjects as object),
      KIT_WITNESS: { className: WITNESS_CLASS, useSQLite: true },
    },
    serviceBindings: {
      ...services,
      ...(ai === null ? {} : { [ai]: { name: "recovery-kit-gate", entrypoint: "Ai" } }),
    },
  } as WorkerBundle["options"];
}

function rulesOf({ destinations, lookUps, model, allow }: TrialDefinition): GateRules {
  const rules = destinations.map(({ effects: _, unique: __, ...rule }) => rule);
  return GateRules.parse({ destinations: rules, lookUps, model, allow });
}
