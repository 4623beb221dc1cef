/**
 * Keeps bundles between runs. An entry holds for what its key names (configuration, host, packages, versions) and as
 * long as every file that went into it has the content that it had; contents are compared, not times. An entry that
 * is damaged, or cannot be written, is as good as none: then the Worker is bundled.
 *
 * Which package lies where is taken from npm's own record of the installation; beyond that, what was changed by hand
 * inside `node_modules` is noticed in files that went into the bundle, and not in a package's manifest.
 *
 * Everything here is synchronous: nothing else can go on before the bundles are there, and hundreds of small files are
 * read no faster by other threads.
 */
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { Sha256 } from "../../../src/trace/ids.ts";
import { lockfile } from "../../base/repository.ts";
import { sha256Of, WORKER_CONFIGS, WorkerBundle, type WorkerRole } from "./bundle.ts";
import type { MadeBundle } from "./bundle-protocol.ts";
import type { HostChoice } from "./host-choice.ts";

export type BundleSource = {
  readonly role: WorkerRole;
  readonly host: HostChoice;
  readonly root: string;
  readonly compatibilityDate: string | null;
};

const Entry = z.strictObject({
  /** SHA-256 of each file that went in, by absolute path. */
  inputs: z.record(z.string(), Sha256),
  /** Of the settings in the folders that those files lie in. */
  settings: Sha256,
  bundle: WorkerBundle,
});
type Entry = z.infer<typeof Entry>;
/** The same before the script is put in. */
const Described = z.looseObject({ bundle: z.looseObject({}) });

/** Files beside sources that change what the bundler makes of them, and variables that it takes from files. */
const SETTINGS = /^(package\.json|tsconfig.*\.json|\.dev\.vars.*|\.env.*)$/;
/** Variables of the environment that do the same. */
const VARIABLES = /^(NODE_ENV$|CLOUDFLARE_|WRANGLER_)/;
/** What makes a bundle of them, and asks wrangler what their configuration comes to. */
const MAKERS = ["./make-bundle.ts", "./describe-worker.ts"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);

/** An entry that nobody used for so long goes, and so does the longest unused one of too many. */
const UNUSED_MS = 14 * 24 * 3_600_000;
const ENTRIES_MAX = 24;

export class BundleCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The bundle of exactly these sources, or null. */
  find(source: BundleSource): WorkerBundle | null {
    if (!isKept(source)) return null;
    try {
      const path = this.#pathOf(source);
      const { inputs, settings, bundle } = parseEntry(readFileSync(path, "utf8"));
      const files = Object.entries(inputs);
      if (files.some(([file, sha256]) => sha256OfFile(file) !== sha256)) return null;
      if (settingsOf(Object.keys(inputs), source.root) !== settings) return null;
      noteUse(path);
      return bundle;
    } catch {
      // No entry, a damaged one, or an input that is gone.
      return null;
    }
  }

  /** Keeps what was made of sources that nobody changed since `startedAt`, in ms. */
  keep(source: BundleSource, { bundle, inputs }: MadeBundle, startedAt: number): void {
    if (!isKept(source)) return;
    let temporary: string | undefined;
    try {
      const hashes = inputs.map((file) => [file, sha256OfFile(file)] as const);
      // One that changed while it was bundled may be in the script as it was before.
      if (inputs.some((file) => statSync(file).ctimeMs >= startedAt)) return;
      const entry: Entry = {
        inputs: Object.fromEntries(hashes),
        settings: settingsOf(inputs, source.root),
        bundle,
      };
      const path = this.#pathOf(source);
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      temporary = `${path}.${randomBytes(6).toString("hex")}`;
      writeFileSync(temporary, entryText(entry), { mode: 0o600 });
      renameSync(temporary, path);
      this.#prune();
    } catch {
      // The run has its bundle; the next one makes it again.
      if (temporary !== undefined) rmSync(temporary, { force: true });
    }
  }

  #pathOf(source: BundleSource): string {
    return join(this.#folder, `${source.role}-${keyOf(source).slice(0, 32)}`);
  }

  #prune(): void {
    const entries = readdirSync(this.#folder).map((name) => {
      const path = join(this.#folder, name);
      // Another run may have removed it meanwhile.
      return { path, usedAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
    });
    entries.sort((a, b) => b.usedAt - a.usedAt);
    const now = Date.now();
    const old = entries.filter(({ usedAt }, index) => index >= ENTRIES_MAX || now - usedAt > UNUSED_MS);
    for (const { path } of old) rmSync(path, { force: true });
  }
}

/** So that what is used stays. A folder that can only be read is used as it is. */
function noteUse(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {}
}

/** Aliases outside the sources come from a check of the kit that changes them all the time. */
function isKept({ host, root }: BundleSource): boolean {
  return Object.values(host.aliases ?? {}).every((file) => file.startsWith(join(root, "src") + sep));
}

/** What can be told of a bundle before it is known which files go in. */
function keyOf({ role, host, root, compatibilityDate }: BundleSource): string {
  const config = join(root, WORKER_CONFIGS[role]);
  const files = [
    config,
    join(root, "package-lock.json"),
    join(root, "node_modules/.package-lock.json"),
    ...[lockfile()].filter((path) => path !== null),
    ...MAKERS,
  ];
  const variables = Object.entries(process.env).filter(([name]) => VARIABLES.test(name));
  return sha256Of(
    JSON.stringify([
      realpathSync(root),
      role,
      [host.kind, host.version, host.aliases ?? null],
      compatibilityDate,
      [process.versions.node, process.platform, process.arch],
      variables.sort(([a], [b]) => (a < b ? -1 : 1)),
      files.map((file) => (existsSync(file) ? sha256OfFile(file) : null)),
      settingsOf([config], root),
    ]),
  );
}

/** Of all settings in the folders that the files lie in and in those above, up to the root. */
function settingsOf(files: readonly string[], root: string): string {
  const folders = new Set<string>([root]);
  for (const file of files) {
    const inside = relative(root, file).split(sep);
    // A package's own settings belong to its version.
    if (inside.includes("node_modules") || inside[0] === "..") continue;
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  const settings = [...folders].sort().flatMap((folder) => {
    const names = readdirSync(folder).filter((name) => SETTINGS.test(name));
    return names.sort().map((name) => [folder, name, sha256OfFile(join(folder, name))]);
  });
  return sha256Of(JSON.stringify(settings));
}

function sha256OfFile(path: string): string {
  return sha256Of(readFileSync(path));
}

/**
 * The first line vouches for the second, which says everything but the script and has the script's hash. The script
 * follows as it is: as a JSON string it would take longer to read than everything else.
 */
function entryText({ bundle: { script, ...bundle }, ...rest }: Entry): string {
  const text = JSON.stringify({ ...rest, bundle });
  return `${sha256Of(text)}\n${text}\n${script}`;
}

/** @throws when the text is not an entry as it was written. */
function parseEntry(text: string): Entry {
  const [first, second] = [text.indexOf("\n"), text.indexOf("\n", text.indexOf("\n") + 1)];
  const described = text.slice(first + 1, second);
  if (text.slice(0, first) !== sha256Of(described)) throw new Error("the entry is damaged");
  const { bundle, ...rest } = Described.parse(JSON.parse(described));
  return Entry.parse({ ...rest, bundle: { ...bundle, script: text.slice(second + 1) } });
}
