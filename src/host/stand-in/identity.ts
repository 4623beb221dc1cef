/**
 * Who this host says it is. Results obtained on the stand-in must never be mistaken for results of the real
 * package (host contract, section 13, last paragraph), so this goes into request headers, the session rows'
 * `version` column and every trace.
 */
export const HOST_IDENTITY = {
  kind: "stand-in",
  name: "opencode-stand-in",
  /** Version of the stand-in itself; it is not an OpenCode version. */
  version: "0.1.0",
} as const;

export type HostIdentity = typeof HOST_IDENTITY;
