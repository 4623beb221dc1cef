/** The release of the OpenCode server that the kit runs. Everything that was written down about it was read from it. */
export const SERVER_PACKAGE = "opencode-ai";
export const SERVER_VERSION = "1.18.33";
