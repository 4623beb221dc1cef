/** Reaches into a stopped ledger's database file, to break it or to see what is really stored. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Runs `statement` in the database of `trial`. The runtime must be stopped. */
export function changeDatabase(folder: string, trial: string, statement: string): void {
  let found = false;
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".sqlite")) continue;
    const database = new DatabaseSync(join(folder, file));
    try {
      const isTrial =
        database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'trial'").get() !== undefined;
      if (!isTrial || database.prepare("SELECT name FROM trial").get()?.name !== trial) continue;
      database.exec(statement);
      found = true;
    } finally {
      database.close();
    }
  }
  if (!found) throw new Error(`no database of trial ${trial} in ${folder}`);
}
