import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimText, parseClaim } from "./claim-text.ts";
import type { Claim } from "./payloads.ts";

const claim: fc.Arbitrary<Claim> = fc.record({
  claim: fc.constantFrom("committed" as const, "unknown" as const, "not-committed" as const, "none" as const),
  receipt: fc.option(fc.string({ unit: "binary", maxLength: 100 })),
});

describe("claims", () => {
  test("reads back every claim that it can write, whatever the sentence", () => {
    fc.assert(
      fc.property(fc.string(), claim, (sentence, stated) => {
        expect(parseClaim(claimText(sentence, stated))).toEqual(stated);
      }),
    );
  });

  test("takes the last claim of a text that holds several", () => {
    const text = claimText(claimText("First.", { claim: "unknown", receipt: null }), {
      claim: "committed",
      receipt: "r1",
    });
    expect(parseClaim(text)).toEqual({ claim: "committed", receipt: "r1" });
  });

  test("accepts a claim without a receipt and with fields of its own", () => {
    expect(parseClaim('{"claim":"unknown","mood":"calm"}')).toEqual({ claim: "unknown", receipt: null });
  });

  test.each([
    null,
    "",
    "It is done.",
    '{"claim":"certain"}',
    '{"claim":"committed"',
    '{"receipt":"r1"}',
    "{}",
  ])("reads no claim from %j", (text) => {
    expect(parseClaim(text)).toEqual({ claim: "none", receipt: null });
  });
});
