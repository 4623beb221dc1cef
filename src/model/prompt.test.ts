import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { operationPrompt, parsePrompt, probePrompt } from "./prompt.ts";

const action = fc.stringMatching(/^[A-Za-z0-9._:-]{1,120}$/);
const key = fc.string({ unit: "binary", minLength: 1, maxLength: 200 }).filter((k) => k.length <= 200);

describe("prompts", () => {
  test("reads back every action and key that it can write", () => {
    fc.assert(
      fc.property(action, fc.option(key), (a, k) => {
        expect(parsePrompt(operationPrompt({ action: a, key: k }))).toEqual({
          kind: "operation",
          action: a,
          key: k,
        });
      }),
    );
  });

  test("keeps the machine's line readable for ordinary keys", () => {
    expect(operationPrompt({ action: "order-17", key: "k1" }).split("\n").at(-1)).toBe(
      "ACTION order-17 KEY k1",
    );
  });

  test("tells a probe from an operation", () => {
    expect(parsePrompt(probePrompt())).toEqual({ kind: "probe" });
  });

  test("finds the line among text that a host put around it", () => {
    expect(parsePrompt(`<context>\r\n${operationPrompt({ action: "a", key: null })}\r\n</context>`)).toEqual({
      kind: "operation",
      action: "a",
      key: null,
    });
  });

  test.each([
    "",
    "Please continue.",
    "ACTION",
    "ACTION bad/action",
    'ACTION a KEY "unfinished',
    "an ACTION a",
  ])("finds no prompt in %j", (text) => {
    expect(parsePrompt(text)).toBeNull();
  });
});
