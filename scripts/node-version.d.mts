/** What to say to a Node that cannot run the kit, or null when it can. */
export function complainAboutNode(version: string): string | null;
