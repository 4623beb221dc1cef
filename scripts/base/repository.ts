/** Where the kit lies: a checkout, or the package that a user installed. Everything that it reads of itself is found from here. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** The package is JavaScript, and the checkout is not. */
export const IS_PACKAGE = import.meta.url.endsWith(".js");

/** Where what a command makes lies if nobody says where: a package writes nothing beside itself. */
export const WORKPLACE = IS_PACKAGE ? process.cwd() : REPOSITORY;

/** Of an installed package, where Node finds it from `from`: there, or in a folder above. Null where it is not. */
export function packageFolder(name: string, from = REPOSITORY): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    if (existsSync(join(place, "package.json"))) return place;
    if (folder === dirname(folder)) return null;
  }
}

/** What npm noted of what is installed: of a checkout what it pins, of a package what lies in the user's folder. */
export function lockfile(): string | null {
  const pinned = join(REPOSITORY, "package-lock.json");
  if (!IS_PACKAGE) return pinned;
  for (let folder = REPOSITORY; folder !== dirname(folder); folder = dirname(folder)) {
    const hidden = join(folder, "node_modules", ".package-lock.json");
    if (existsSync(hidden)) return hidden;
  }
  return null;
}
