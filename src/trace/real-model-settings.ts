/** What every request to a real model says besides its conversation: part of the environment of its trials. */
export const REAL_MODEL_SETTINGS = { maxOutputTokens: 2_048 } as const;
