/**
 * The hash chain over a journal's lines. Each record carries the SHA-256 of the line before it, so a missing,
 * changed or reordered line shows in any copy. It protects against damage and careless editing, not against
 * somebody who recomputes the whole chain.
 *
 * The hash function is passed in: this module runs in workerd and in Node and imports neither.
 */

/** SHA-256 of the UTF-8 bytes of `text`, as lower-case hexadecimal. */
export type HashText = (text: string) => string;

/** What the first record carries as `prev`. */
export const GENESIS = "0".repeat(64);
