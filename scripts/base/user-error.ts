/** A mistake of the user's: one clear sentence that says what to change, no stack trace, exit code 2. */
export class UserError extends Error {
  override readonly name = "UserError";
}
