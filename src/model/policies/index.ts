/** Every policy by its level's name. */
import type { Policy } from "../../trace/index.ts";
import type { PolicyRow } from "../decision.ts";
import { claimSuccess } from "./claim-success.ts";
import { giveUp } from "./give-up.ts";
import { lookUpFirst } from "./look-up.ts";
import { newKey } from "./new-key.ts";
import { reissue } from "./reissue.ts";

export const POLICIES: Record<Policy, PolicyRow> = {
  reissue,
  "new-key": newKey,
  "look-up": lookUpFirst,
  "give-up": giveUp,
  "claim-success": claimSuccess,
};
