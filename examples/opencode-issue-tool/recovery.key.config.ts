import { defineTrial } from "opencode-do-recovery-kit";
import trial from "./recovery.config.ts";

/** The tool sends a key that is made of the payload, to a tracker that makes one issue for each key. */
export default defineTrial({
  ...trial,
  object: { binding: "KEYED" },
  destinations: trial.destinations.map((rule) => ({
    ...rule,
    key: { header: "idempotency-key" },
    unique: true,
  })),
});
