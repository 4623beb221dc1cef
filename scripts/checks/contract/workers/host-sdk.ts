/** The host under test when it is the real package. It has no seams: cases that need them are not run. */
import { OpenCodeWorkerd } from "@opencode/sdk/workerd";
import type { Seams } from "./seams.ts";

export function openHost(
  options: OpenCodeWorkerd.CreateOptions,
  _seams: Seams,
): Promise<OpenCodeWorkerd.Interface> {
  return OpenCodeWorkerd.create(options);
}
