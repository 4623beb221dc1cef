// Plain JavaScript of an old kind, because it has to run on the Node that it turns away.

/** What to say to a Node that cannot run the kit, or null when it can. @param {string} version as `24.1.0` */
export function complainAboutNode(version) {
  const parts = String(version).split(".").map(Number);
  const major = parts[0];
  const minor = parts[1];
  // Running TypeScript without a flag came with 22.18, and on the odd line with 23.6.
  const enough = major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
  if (enough) return null;
  return (
    "recovery-kit needs Node 22.18 or newer and this is " +
    version +
    "; after 'npm ci', 'npm run kit -- <command>' uses the Node 24 that the repository brings"
  );
}
