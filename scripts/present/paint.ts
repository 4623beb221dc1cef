/** Colour for a stream, when it is a terminal that wants colour (`NO_COLOR` and `FORCE_COLOR` are respected). */
import { styleText } from "node:util";
import type { Tone } from "./condition-rows.ts";

type Format = Parameters<typeof styleText>[0];
export type Paint = (format: Format, text: string) => string;

export const PLAIN: Paint = (_, text) => text;

export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (format, text) => styleText(format, text, { stream });
}

export const TONES: Record<Tone, Format> = { good: "green", bad: "red", open: "yellow", plain: "reset" };
