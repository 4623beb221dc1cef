/** The scripted model: what the controller serves, and the prompts and claims that go with it. */
export { parseClaim } from "../trace/claim-text.ts";
export { DIALECT_PATHS } from "./dialects/index.ts";
export { ACTIVATION_HEADER, EXECUTOR_HEADER, handleModelRequest, SESSION_HEADER } from "./handler.ts";
export type { ModelLedger } from "./ledger.ts";
export {
  followUpPrompt,
  markedProbePrompt,
  operationPrompt,
  type ParsedPrompt,
  parsePrompt,
  probePrompt,
  taskPrompt,
} from "./prompt.ts";
export type { Asked, RealModel, Said } from "./real-model.ts";
