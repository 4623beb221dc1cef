/**
 * Which OpenCode host a run uses, and why: the real `@opencode/sdk` when both packages are installed, else the
 * stand-in. An explicit choice is never replaced by another one.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { HOST_IDENTITY } from "../../../src/host/stand-in/identity.ts";
import { packageFolder, REPOSITORY } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";

export const HostOption = z.enum(["sdk", "stand-in", "auto"]);
export type HostOption = z.infer<typeof HostOption>;

export const HostChoice = z
  .strictObject({
    kind: z.enum(["sdk", "stand-in"]),
    name: z.string(),
    version: z.string(),
    /** Why this host, in words. */
    reason: z.string(),
    /** Files that stand behind module names in the subject's bundle, instead of what its configuration names. */
    aliases: z.record(z.string(), z.string()).readonly().optional(),
  })
  .readonly();
export type HostChoice = z.infer<typeof HostChoice>;

const PACKAGES = ["@opencode/sdk", "@opencode/plugin"] as const;
const Manifest = z.object({ version: z.string() });

/** Version of an installed package, or null. */
export function installedVersion(name: string, root = REPOSITORY): string | null {
  const folder = packageFolder(name, root);
  if (folder === null) return null;
  const parsed = Manifest.safeParse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  return parsed.success ? parsed.data.version : null;
}

/** Packages whose version can change a result. */
const THAT_MATTER = [
  "agents",
  "ai",
  "@ai-sdk/openai-compatible",
  "wrangler",
  "miniflare",
  "workerd",
  "zod",
  "hono",
  "@opencode/sdk",
  "@opencode/plugin",
];

/** Versions of what is installed. The workerd is the one that miniflare starts, which may lie inside its folder. */
export function packageVersions(root = REPOSITORY): Record<string, string> {
  const versionOf = (name: string) =>
    installedVersion(name, name === "workerd" ? (packageFolder("miniflare", root) ?? root) : root);
  return Object.fromEntries(
    THAT_MATTER.flatMap((name) => {
      const version = versionOf(name);
      return version === null ? [] : [[name, version]];
    }),
  );
}

/** @throws UserError when `sdk` is asked for and a package is missing. */
export function chooseHost(option: HostOption, root = REPOSITORY): HostChoice {
  const missing = PACKAGES.filter((name) => installedVersion(name, root) === null);
  if (option === "sdk" && missing.length > 0)
    throw new UserError(
      `--host sdk: ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed; ` +
        "install with 'npm install --no-save @opencode/sdk@2 @opencode/plugin@2' or use --host stand-in",
    );
  if (option === "stand-in" || missing.length > 0) return standIn(option, missing);
  return {
    kind: "sdk",
    name: "@opencode/sdk",
    version: installedVersion("@opencode/sdk", root) ?? "unknown",
    reason: option === "sdk" ? "asked for with --host sdk" : "both packages are installed",
  };
}

function standIn(option: HostOption, missing: readonly string[]): HostChoice {
  return {
    kind: "stand-in",
    name: HOST_IDENTITY.name,
    version: HOST_IDENTITY.version,
    reason:
      option === "stand-in" ? "asked for with --host stand-in" : `${missing.join(" and ")} not installed`,
  };
}
