/**
 * Token counts without a tokenizer: four characters (UTF-16 code units) are one token, rounded up. The number
 * is deterministic and comparable between trials; it is not what any real model would bill.
 */
const CHARACTERS_PER_TOKEN = 4;

export function countTokens(texts: readonly string[]): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
