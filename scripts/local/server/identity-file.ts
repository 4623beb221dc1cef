/**
 * What the kit keeps beside the server's data, in the same folder, so that it is lost with it: which storage this is, how
 * often a server was started on it, and for each trial its session, its marker and the prompts of its operations. The
 * server has no operation ids: a client of it names its prompts itself, and has to remember them.
 *
 * Holds no secret: the plugin in the server reads it too.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { Count, OpaqueId, OperationId, TrialId } from "../../../src/trace/ids.ts";
import { KeySource, Subject } from "../../../src/trace/levels.ts";

/** Name of the file in the folder of the server's data. */
export const IDENTITY_FILE = "recovery-kit.json";

export const KeptTrial = z.strictObject({
  subject: Subject,
  session: OpaqueId,
  key: KeySource,
  /** Null until it is written. */
  marker: OpaqueId.nullable(),
  /** Ids of each operation's prompts: the first, and any that only asked to go on. */
  prompts: z.record(OperationId, z.array(OpaqueId)),
});
export type KeptTrial = z.infer<typeof KeptTrial>;

const Kept = z.strictObject({
  /** Made with the file: another one means another storage. */
  object: OpaqueId,
  /** How often a server was started on this storage. */
  generation: Count,
  trials: z.record(TrialId, KeptTrial),
});
type Kept = z.infer<typeof Kept>;

export class IdentityFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** As it lies there now; a new identity where there is no file. */
  read(): Kept {
    if (!existsSync(this.#path))
      return { object: `server-${crypto.randomUUID()}`, generation: 0, trials: {} };
    return Kept.parse(JSON.parse(readFileSync(this.#path, "utf8")));
  }

  /** Counts a start of the server and returns the file's new content. */
  countStart(): Kept {
    return this.#change((kept) => ({ ...kept, generation: kept.generation + 1 }));
  }

  trial(trial: string): KeptTrial | undefined {
    return this.read().trials[trial];
  }

  keepTrial(trial: string, content: KeptTrial): void {
    this.#change((kept) => ({ ...kept, trials: { ...kept.trials, [trial]: content } }));
  }

  /** The trial that a session belongs to. */
  trialOfSession(session: string): string | undefined {
    return Object.entries(this.read().trials).find(([, kept]) => kept.session === session)?.[0];
  }

  /** Replaced as a whole: a reader sees it before or after, never half written. */
  #change(change: (kept: Kept) => Kept): Kept {
    const kept = Kept.parse(change(this.read()));
    const next = `${this.#path}.next`;
    writeFileSync(next, JSON.stringify(kept));
    renameSync(next, this.#path);
    return kept;
  }
}
