import { defineTrial } from "opencode-do-recovery-kit";
import trial from "./recovery.config.ts";

/** The same agent, at a destination that makes one invoice for each payload. */
export default defineTrial({
  ...trial,
  destinations: trial.destinations.map((rule) => ({
    ...rule,
    key: { hash: "payload" as const },
    unique: true,
  })),
});
