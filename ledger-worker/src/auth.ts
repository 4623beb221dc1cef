/**
 * The shared secret of the kit's Workers. Fails closed: a deployment without a usable secret answers nobody.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { Refusal } from "./refusal.ts";

/** Shorter secrets are taken for a mistake: 16 random characters are beyond guessing over a network. */
const SECRET_CHARACTERS_MIN = 16;

/** Refuses unless `authorization` is `Bearer <secret>`. */
export function verifyBearer(secret: string | undefined, authorization: string | undefined): void {
  if (secret === undefined || secret.length < SECRET_CHARACTERS_MIN)
    throw new Refusal(
      "secret-not-configured",
      `Set the secret KIT_SECRET to at least ${SECRET_CHARACTERS_MIN} characters.`,
    );
  // Equal-length digests: neither the time nor the length of the comparison depends on the secret.
  const matches = timingSafeEqual(digest(`Bearer ${secret}`), digest(authorization ?? ""));
  if (!matches) throw new Refusal("unauthorized", "Send the header Authorization: Bearer <KIT_SECRET>.");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
