/** From one layout of the stand-in's tables to the next, when a host opens storage that another one made. */
import type { Database } from "./database.ts";
import { CLAIM_INDEX, CLAIM_RENAMED, LAYOUT_1, type TableLayout } from "./table-layouts.ts";

/**
 * Brings older tables into the layout that is to be read. A journal of migrations that names none of this layout's is left
 * as it is, as published hosts leave it: what then fails is said by the statement that meets it.
 *
 * @throws with the name of the table when no migration can read what is there.
 */
export async function migrate(
  db: Database,
  layout: TableLayout,
  tables: readonly string[],
  now: number,
): Promise<void> {
  if (!tables.includes(layout.sessions)) {
    const found = tables.filter((name) => /^session(_v\d+)?$/.test(name));
    throw new Error(
      `Cannot read the table "${found.join('", "')}": no migration leads from it to "${layout.sessions}"`,
    );
  }
  const done = db.all<{ id: string }>("SELECT id FROM migration").map(({ id }) => id);
  if (!layout.migrations.includes(CLAIM_RENAMED) || done.includes(CLAIM_RENAMED)) return;
  await db.transaction(() => {
    // In the words of the layout that is left.
    db.runAsWritten(`ALTER TABLE ${layout.sessions} RENAME COLUMN ${LAYOUT_1.claim} TO ${layout.claim}`);
    db.runAsWritten(`DROP INDEX ${layout.sessions}_${LAYOUT_1.claim}_idx`);
    db.run(CLAIM_INDEX);
    db.run("INSERT INTO migration (id, time_completed) VALUES (?, ?)", CLAIM_RENAMED, now);
  });
}
