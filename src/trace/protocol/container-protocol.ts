/**
 * The supervisor's HTTP protocol: how an object reaches the container that does its work, and how what runs in the container
 * reaches the outside. A container is named by its trial.
 *
 * | request of the object | body | answer |
 * | --- | --- | --- |
 * | `GET /containers/:trial` | | `ContainerState` |
 * | `GET /containers/:trial/end` | | `ContainerState`, once nothing runs in it |
 * | `POST /containers/:trial/start` | `StartRequest` | `ContainerState` |
 * | `POST /containers/:trial/destroy` | | `ContainerState`, once no process of it is left |
 * | `POST /containers/:trial/snapshots` | | `SnapshotResponse` |
 * | `GET /containers/:trial/markers` | | `FileMarkers`, of what runs; it is not asked |
 * | any `/containers/:trial/port/…` | | what the daemon in the container answers, a WebSocket too |
 *
 * | request of its owner | body | answer |
 * | --- | --- | --- |
 * | `POST /owned/:trial/delete-executor` | | `Cleared`, once no process of it is left |
 * | `POST /owned/:trial/clear-snapshots` | | `Cleared`, once no snapshot is left |
 *
 * | request from inside | body | answer |
 * | --- | --- | --- |
 * | `GET /outside/:trial/identity` | | `OutsideIdentity`: under which names it acts |
 * | `POST /outside/:trial/model` | a chat completion | what the scripted model answers |
 * | `POST /outside/:trial/model/v1/…` | as for the model, in any of its dialects | the same |
 * | `POST /outside/:trial/trials/:trial/attempts`, `…/look-ups` | as for the ledger | what the ledger answers |
 *
 * The object's requests carry the kit's secret, and name the activation in headers. Those of an owner carry the owner's own key
 * (`src/link/owner-key.ts`) and pass the object by. Those from inside carry a key that was made for that one executor: no secret of
 * the kit lies in a container.
 */
import { z } from "zod";
import { Count, OpaqueId } from "../ids.ts";

/** Which activation of the object speaks to its container; absent while it is being constructed. */
export const DRIVER_HEADER = "x-kit-activation";
export const DRIVER_GENERATION_HEADER = "x-kit-generation";

export const ContainerState = z.strictObject({
  running: z.boolean(),
  /** Of the daemon; null while nothing runs. */
  pid: z.number().int().positive().nullable(),
  /** Id under which it was started; null while nothing runs. */
  executor: OpaqueId.nullable(),
});
export type ContainerState = z.infer<typeof ContainerState>;

export const StartRequest = z.strictObject({
  env: z.record(z.string().regex(/^[A-Z][A-Z0-9_]{0,60}$/), z.string().max(4_000)),
  /** Id of the snapshot to start from; null for an empty file system. */
  snapshot: OpaqueId.nullable(),
});
export type StartRequest = z.infer<typeof StartRequest>;

/** `size` in bytes. */
export const SnapshotResponse = z.strictObject({ id: OpaqueId, size: Count });
export type SnapshotResponse = z.infer<typeof SnapshotResponse>;

/** How much was removed. */
export const Cleared = z.strictObject({ cleared: Count });
export type Cleared = z.infer<typeof Cleared>;

/** What an owner may ask of a container. */
export const OwnerRequest = z.enum(["delete-executor", "clear-snapshots"]);
export type OwnerRequest = z.infer<typeof OwnerRequest>;

/** Which executor wrote each marker; null where there is none, or nothing runs. */
export const FileMarkers = z.strictObject({
  workspace: OpaqueId.nullable(),
  state: OpaqueId.nullable(),
  undeclared: OpaqueId.nullable(),
});
export type FileMarkers = z.infer<typeof FileMarkers>;

export const OutsideIdentity = z.strictObject({
  activation: OpaqueId,
  generation: z.number().int().min(1),
  executor: OpaqueId,
});
export type OutsideIdentity = z.infer<typeof OutsideIdentity>;

/** Environment of the daemon and of the agent that it starts: where the outside is, and what opens it. */
export const OUTSIDE_URL_VARIABLE = "KIT_OUTSIDE_URL";
export const OUTSIDE_KEY_VARIABLE = "KIT_OUTSIDE_KEY";
export const TRIAL_VARIABLE = "KIT_TRIAL";
/** Name of the harness's session, which an agent CLI is not told. */
export const SESSION_VARIABLE = "KIT_SESSION";
/** Where the key of an attempt comes from. */
export const KEY_SOURCE_VARIABLE = "KIT_KEY_SOURCE";
/** How often the files of a turn are stored while it lasts, in ms. */
export const SYNC_MS_VARIABLE = "KIT_SYNC_MS";
/** Path of the agent CLI's binary, where it is not the kit's own. */
export const CLI_BINARY_VARIABLE = "KIT_CLI_BINARY";
