/**
 * One life of an object of a user's Worker. Which trial it is of is not in its name, which is her client's to choose: the first
 * request of a trial says it, and the object's storage keeps it. The other objects of her Worker (helpers, facets) are nobody's
 * subject: no activation of theirs is told, and what they send is told as their trial's where that is known.
 */
import { Activation, type ActivationCause } from "../subject/activation.ts";
import type { Owner, Where } from "../subject/uncaught.ts";
import type { Life } from "../subject/under-trial.ts";
import { linksOf, type OwnEnv } from "./own-env.ts";

/** Whose a request is that leaves the Worker. */
export type Sender = {
  readonly trial: string;
  readonly session: string;
  /** Null where the trial's object has not been heard of in this process. */
  readonly activation: Activation | null;
};

/** Whoever's work may send requests out of the Worker. */
type Sending = Owner & { readonly sender: () => Promise<Sender | null> };

export function isSending(owner: Owner | undefined): owner is Sending {
  return owner !== undefined && "sender" in owner;
}

type Subject = { readonly activation: Activation; readonly session: string };

/** The newest life of each trial's object in this isolate. */
const subjects = new Map<string, Subject>();

const TRIAL = "trial";

type LifeOptions = {
  readonly ctx: DurableObjectState;
  readonly env: OwnEnv;
  readonly className: string;
};

export class OwnLife implements Life, Sending {
  readonly #options: LifeOptions;
  #activation: Activation | null = null;
  #cause: ActivationCause = "unknown";

  constructor(options: LifeOptions, isSubject: boolean) {
    this.#options = options;
    const trial = isSubject ? storedTrial(options.ctx.storage) : null;
    if (trial !== null) this.#become(trial);
  }

  /** The activation, where the object is a trial's subject. */
  get activation(): Activation | null {
    return this.#activation;
  }

  get trial(): string | null {
    return this.#activation?.trial ?? this.#helped()?.activation.trial ?? null;
  }

  /** The object under which her client addresses it. */
  get session(): string {
    const { id } = this.#options.ctx;
    return id.name ?? id.toString();
  }

  /** Makes the object the subject of a trial, from its first request on. */
  async belongsTo(trial: string): Promise<Activation> {
    if (this.#activation !== null) return this.#activation;
    const activation = this.#become(trial);
    activation.enteredBy(this.#cause);
    await activation.begin();
    activation.writeSetting(TRIAL, trial);
    return activation;
  }

  async begin(): Promise<void> {
    await this.#activation?.begin();
  }

  enteredBy(cause: ActivationCause): void {
    if (this.#cause === "unknown") this.#cause = cause;
    this.#activation?.enteredBy(cause);
  }

  async failed(error: unknown): Promise<void> {
    await this.#activation?.failed(error);
  }

  uncaught(where: Where, error: unknown, isCaught: () => boolean): void {
    this.#activation?.uncaught(where, error, isCaught);
  }

  /** Nobody else's request is taken for this object's; null where the trial is not known. Comes after the activation was told. */
  async sender(): Promise<Sender | null> {
    const subject =
      this.#activation === null ? this.#helped() : { activation: this.#activation, session: this.session };
    if (subject === undefined) return null;
    const { activation, session } = subject;
    await activation.begin().catch(() => undefined);
    return { trial: activation.trial, session, activation };
  }

  #become(trial: string): Activation {
    const { ctx, env, className } = this.#options;
    const host = { kind: "none", name: className, version: "" } as const;
    const activation = new Activation({ ctx, env: linksOf(env), trial, host });
    this.#activation = activation;
    subjects.set(trial, { activation, session: this.session });
    // What she deletes is hers; who the object is for the kit is not.
    const { storage } = ctx;
    const deleteAll = storage.deleteAll.bind(storage);
    Reflect.defineProperty(storage, "deleteAll", {
      value: (...args: Parameters<typeof deleteAll>) => activation.outlive(() => deleteAll(...args)),
      configurable: true,
    });
    return activation;
  }

  /** The subject that a helper works for: the one whose trial its name has, or the only one of the process. */
  #helped(): Subject | undefined {
    const { name } = this.#options.ctx.id;
    const named = [...subjects].filter(([trial]) => name?.includes(trial) === true);
    const [only, another] = named.length > 0 ? named : [...subjects];
    return another === undefined ? only?.[1] : undefined;
  }
}

/** A client of a trial, which runs in the Worker and in no object. */
export class ClientLife implements Sending {
  readonly trial: string;
  readonly #session: string;

  constructor(trial: string, session: string) {
    this.trial = trial;
    this.#session = session;
  }

  /** A client's own error is its answer. */
  uncaught(): void {}

  async sender(): Promise<Sender> {
    const activation = subjects.get(this.trial)?.activation ?? null;
    return { trial: this.trial, session: this.#session, activation };
  }
}

/** Null where the object is not known to be of a trial, or its storage has no SQL. */
function storedTrial(storage: DurableObjectStorage): string | null {
  try {
    const [row] = storage.sql
      .exec("SELECT value FROM kit_identity WHERE key = ?", `setting:${TRIAL}`)
      .toArray();
    return typeof row?.value === "string" ? row.value : null;
  } catch {
    return null;
  }
}
