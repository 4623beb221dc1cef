/** What a check of `doctor` answers. */

export type CheckResult = {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  /** What was found. */
  readonly found: string;
  /** What to do about it; null when it is ok. */
  readonly advice: string | null;
};

export type Answer = Omit<CheckResult, "name">;

export const ok = (found: string): Answer => ({ status: "ok", found, advice: null });
export const warn = (found: string, advice: string): Answer => ({ status: "warn", found, advice });
export const fail = (found: string, advice: string): Answer => ({ status: "fail", found, advice });
