/** What a stored run says of how it was asked for. Pure. */

/** The file of the user's own that it ran, as it was given; null for an experiment of the kit. */
export function askedFile(commandLine: readonly string[]): string | null {
  const at = commandLine.indexOf("run");
  if (at === -1) return null;
  return (
    commandLine.slice(at + 1).find((text) => !text.startsWith("-") && /\.[mc]?[jt]s$/.test(text)) ?? null
  );
}

/** The arguments of a `try`, which is no experiment and has no conditions to choose from; null for anything else. */
export function askedTry(commandLine: readonly string[]): readonly string[] | null {
  const at = commandLine.indexOf("try");
  return at === 0 || at === 1 ? commandLine.slice(at + 1) : null;
}
