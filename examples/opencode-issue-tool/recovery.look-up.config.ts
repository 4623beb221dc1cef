import { defineTrial } from "opencode-do-recovery-kit";
import trial from "./recovery.config.ts";

/** The tool asks the tracker whether the issue is there before it creates one. */
export default defineTrial({
  ...trial,
  object: { binding: "LOOKING" },
  lookUps: [
    {
      match: "GET https://api.tracker.example/repos/*/issues?*",
      action: "create-issue",
      entry: { id: "{{receipt}}" },
    },
  ],
});
