import { describe, expect, it } from "vitest";
import { hashOf, placeIn } from "./places.ts";

describe("places in a report", () => {
  it("leads to a trial or to one of its records, and back", () => {
    expect(placeIn(hashOf("run-1-t17"))).toEqual({ anchor: "run-1-t17", seq: null });
    expect(placeIn(hashOf("run-1-t17", 38))).toEqual({ anchor: "run-1-t17", seq: 38 });
    expect(placeIn(hashOf("a/b ~2", 4))).toEqual({ anchor: "a/b ~2", seq: 4 });
  });

  it("takes what is no encoding as it stands", () => {
    expect(placeIn("#%E0%A4%A")).toEqual({ anchor: "%E0%A4%A", seq: null });
    expect(placeIn("")).toEqual({ anchor: "", seq: null });
  });
});
