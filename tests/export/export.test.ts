/** Every golden trace in each format of somebody else's, held to that format's own schema. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";
import { expect, it } from "vitest";
import { chromeTrace } from "../../scripts/export/chrome-trace.ts";
import { otlpTrace } from "../../scripts/export/otlp-trace.ts";
import { timelineOf } from "../../scripts/export/trial-timeline.ts";
import { judgeParsed } from "../../scripts/stored/judge-trace.ts";
import { openStored } from "../../scripts/stored/stored-traces.ts";
import { kit } from "../support/in-process.ts";

const SETS = [
  "cases",
  "agents-0.32.0_opencode-stand-in-0.1.0_workerd-1.20261117.1",
  "agents-0.32.0_opencode-stand-in-0.1.0_workerd-1.20261117.1_first-format",
].map((set) => `traces/golden/${set}/taken`);

async function timelines() {
  const stored = await Promise.all(SETS.map(openStored));
  return stored
    .flatMap(({ traces }) => traces)
    .map(({ path, read }) => {
      const parsed = read();
      return { parsed, timeline: timelineOf(parsed, judgeParsed(path, parsed).verdict) };
    })
    .flatMap(({ parsed, timeline }) => (timeline === null ? [] : [{ parsed, timeline }]));
}

/** OTLP's JSON has ids in hex, where that of Protocol Buffers has base64. */
function idsAs(to: BufferEncoding, from: BufferEncoding, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => idsAs(to, from, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      /^(traceId|spanId|parentSpanId)$/.test(key) && typeof one === "string"
        ? Buffer.from(one, from).toString(to)
        : idsAs(to, from, one),
    ]),
  );
}

it("OTLP survives the protocol's own definition unchanged: no field is unknown and none has another type", async () => {
  const root = new protobuf.Root();
  const folder = fileURLToPath(new URL("proto/", import.meta.url));
  root.resolvePath = (_, target) => join(folder, target);
  await root.load("opentelemetry/proto/trace/v1/trace.proto");
  const TracesData = root.lookupType("opentelemetry.proto.trace.v1.TracesData");
  const all = await timelines();
  expect(all.length).toBeGreaterThan(100);
  for (const { timeline } of all) {
    const exported = otlpTrace([timeline]);
    const encoded = TracesData.encode(
      TracesData.fromObject(idsAs("base64", "hex", exported) as object),
    ).finish();
    const decoded = TracesData.toObject(TracesData.decode(encoded), { longs: String, bytes: String });
    expect(idsAs("hex", "base64", decoded)).toEqual(exported);
  }
});

it("OTLP has ids of the right length, one root, parents that are there, and attempts inside their operation", async () => {
  for (const { timeline, parsed } of await timelines()) {
    const spans = otlpTrace([timeline]).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    );
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    expect(byId.size).toBe(spans.length);
    expect(spans.filter((span) => !("parentSpanId" in span))).toHaveLength(1);
    for (const span of spans) {
      expect([span.traceId, span.spanId].join(" ")).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
      if (!("parentSpanId" in span))
        expect(span).toMatchObject({ events: { length: parsed.records.length } });
      else expect(byId.has(span.parentSpanId)).toBe(true);
      if ("parentSpanId" in span && span.name.startsWith("attempt ") && timeline.valid)
        expect(byId.get(span.parentSpanId)?.name).toMatch(/^operation /);
    }
  }
});

it("Chrome's events keep to the format, name every thread, and overlap in none", async () => {
  for (const { timeline, parsed } of await timelines()) {
    const { traceEvents } = chromeTrace([timeline]);
    const named = new Set(traceEvents.flatMap((one) => (one.name === "thread_name" ? [one.tid] : [])));
    const freeAt = new Map<number, number>();
    for (const event of traceEvents) {
      expect(named.has(event.tid)).toBe(true);
      if (event.ph !== "X") continue;
      expect(event.ts).toBeGreaterThanOrEqual(freeAt.get(event.tid) ?? 0);
      freeAt.set(event.tid, event.ts + event.dur);
    }
    expect(traceEvents.filter(({ ph }) => ph === "i")).toHaveLength(parsed.records.length);
  }
});

it("export writes a whole run or one trial, and overwrites nothing", async () => {
  const dir = await mkdtemp(join(tmpdir(), "export-"));
  try {
    const out = join(dir, "out.json");
    const trace = "traces/golden/cases/taken/T01.jsonl";
    expect((await kit("export", trace, "--format", "chrome", "--out", out)).code).toBe(0);
    const written = await readFile(out, "utf8");
    expect(await kit("export", trace, "--format", "chrome")).toMatchObject({ code: 0, stdout: written });
    expect(await kit("export", trace, "--format", "otlp", "--out", out)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is there already"),
    });
    expect((await kit("export", trace, "--format", "other")).code).toBe(2);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
