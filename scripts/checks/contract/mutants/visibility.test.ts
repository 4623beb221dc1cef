import { describe, expect, it } from "vitest";
import type { Reading } from "./verdict-reading.ts";
import { compareWithSound } from "./visibility.ts";

const SOUND: Reading = { execution: "resumed", "open calls": "0" };

describe("a mutant that is listed as visible", () => {
  it("is as listed when its axis comes out as listed, whatever else changes", () => {
    const broken = { execution: "not-resumed", "open calls": "1" };
    expect(compareWithSound("claimNotWritten", SOUND, broken)).toMatchObject({
      asListed: true,
      changes: [
        { axis: "execution", sound: "resumed", broken: "not-resumed" },
        { axis: "open calls", sound: "0", broken: "1" },
      ],
    });
  });

  it("is not when its axis is the sound host's, or another value", () => {
    expect(compareWithSound("claimNotWritten", SOUND, { ...SOUND, "open calls": "1" }).asListed).toBe(false);
    expect(compareWithSound("claimNotWritten", SOUND, { ...SOUND, execution: "unknown" }).asListed).toBe(
      false,
    );
  });

  it("is not when the sound host shows the same", () => {
    const same = { execution: "not-resumed", "open calls": "0" };
    expect(compareWithSound("claimNotWritten", same, same).asListed).toBe(false);
  });
});

describe("a mutant that is listed as hidden", () => {
  it("is as listed when nothing changes, and stale when something does", () => {
    expect(compareWithSound("resultAndCallInOneTransaction", SOUND, SOUND).asListed).toBe(true);
    const broken = { ...SOUND, "open calls": "1" };
    expect(compareWithSound("resultAndCallInOneTransaction", SOUND, broken).asListed).toBe(false);
  });
});
