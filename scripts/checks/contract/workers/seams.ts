/** What a plan may ask of a host beyond its published options; only the stand-in can honour it. */
import type { ToolBoundary } from "../../../../src/host/stand-in/internals.ts";
import type { Mutation } from "../../../../src/host/stand-in/mutations.ts";

export type Seams = {
  onToolBoundary: (boundary: ToolBoundary) => void;
  mutations: readonly Mutation[];
  title: "absent" | "call";
  retries: number;
  /** `none`: retries come at once. `published`: their delays are announced, but not waited for. */
  delays: "none" | "published";
};
