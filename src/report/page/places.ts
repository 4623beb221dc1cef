/**
 * Where in the report a reader is, as the part of the address after `#`: `#<anchor>` is a trial, `#<anchor>/<seq>` one of its
 * records, anything else a place on the first screen. Pure.
 */
export type Place = { readonly anchor: string; readonly seq: number | null };

export function placeIn(hash: string): Place {
  const text = decoded(hash.replace(/^#/, ""));
  const parts = /^(.*)\/(\d{1,9})$/.exec(text);
  return parts === null ? { anchor: text, seq: null } : { anchor: parts[1] ?? "", seq: Number(parts[2]) };
}

export function hashOf(anchor: string, seq: number | null = null): string {
  return `#${encodeURIComponent(anchor)}${seq === null ? "" : `/${seq}`}`;
}

/** What is no such encoding is left as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
