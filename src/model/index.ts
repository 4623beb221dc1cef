/** The scripted model: what the controller serves, and the prompts and claims that go with it. */
export { parseClaim } from "../trace/claim-text.ts";
export { ACTIVATION_HEADER, EXECUTOR_HEADER, handleChatCompletions, SESSION_HEADER } from "./handler.ts";
export type { ModelLedger } from "./ledger.ts";
export { followUpPrompt, operationPrompt, type ParsedPrompt, parsePrompt, probePrompt } from "./prompt.ts";
