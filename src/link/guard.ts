/**
 * `refusal(status, code, message)` for `src/subject`, whose objects still choose their own codes and statuses. Goes when
 * they throw a `Refusal` instead.
 */
export { errorResponse as refusal } from "./admission.ts";
