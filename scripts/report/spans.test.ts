import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { t01 } from "../../src/reconcile/cases/traces.ts";
import { REPOSITORY } from "../base/repository.ts";
import { readTrace } from "../stored/read-trace.ts";
import { spansOf } from "./spans.ts";

describe("stretches of time in a trial", () => {
  it("reach from the record that begins them to the one that ends them", () => {
    const { records } = readTrace(join(REPOSITORY, STORED));
    const spans = spansOf(records, records[0]?.at ?? 0);
    expect(new Set(spans.map(({ span }) => span))).toEqual(new Set(["reset", "quiet", "hold", "withheld"]));
    for (const { span, from, to, fromMs, toMs } of spans) {
      const [begin, end] = [from, to].map((seq) => records.find((one) => one.seq === seq));
      expect([begin?.type, end?.type]).toEqual(ENDS[span]);
      expect(toMs - fromMs).toBe((end?.at ?? 0) - (begin?.at ?? 0));
    }
  });

  it("reach to the trial's last record where nothing ends them", () => {
    const records = t01().records.filter(({ type }) => type !== "quiet.ended");
    const quiet = spansOf(records, 0).find(({ span }) => span === "quiet");
    expect(quiet).toMatchObject({ to: null, toMs: records.at(-1)?.at });
  });
});

const STORED =
  "traces/golden/agents-0.32.0_opencode-stand-in-0.1.0_workerd-1.20261117.1/taken/opencode+after-commit+abort+append+reissue.jsonl";

const ENDS = {
  reset: ["reset.requested", "reset.performed"],
  quiet: ["quiet.started", "quiet.ended"],
  hold: ["hold.reached", "hold.released"],
  withheld: ["receipt.withheld", "receipt.undeliverable"],
};
