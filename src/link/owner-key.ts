/**
 * The key by which the owner of a container is known to whatever runs it: one for each owner, which opens nothing of another's.
 * Whoever has the kit's secret can make it, and it is written down nowhere.
 */
import { createHmac } from "node:crypto";

export function ownerKey(secret: string, owner: string): string {
  return createHmac("sha256", secret).update(`owner:${owner}`).digest("hex");
}
