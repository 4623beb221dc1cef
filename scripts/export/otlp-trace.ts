/**
 * Trials as OTLP/JSON: a trace for each, with a span for the trial, in it one for each operation and other stretch of time, and
 * those of attempts inside the operation; each record is an event of the trial's span. JSON mapping of OTLP: ids in hex, 64-bit
 * numbers as text.
 */
import { hash } from "node:crypto";
import type { Stretch, Timeline } from "./trial-timeline.ts";

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly Value[] } };
type Attribute = { readonly key: string; readonly value: Value };
type Given = string | number | boolean | readonly string[];

/** Of the protocol: a span inside the program, and how it ended. */
const INTERNAL = 1;
const STATUS = { ok: 1, error: 2 } as const;

export function otlpTrace(timelines: readonly Timeline[]) {
  return { resourceSpans: timelines.map(resourceSpans) };
}

function resourceSpans(timeline: Timeline) {
  const { run, trial, condition, host, valid, fromAt, toAt, stretches, moments } = timeline;
  const traceId = idOf(`${run} ${trial} ${fromAt}`, 32);
  const spanId = (of: string) => idOf(`${traceId} ${of}`, 16);
  const root = spanId("trial");
  const operation = stretches.find(({ kind }) => kind === "operation");
  const parentOf = (one: Stretch) =>
    one.kind === "attempt" && operation !== undefined && one.from > operation.from
      ? spanId(`${operation.kind} ${operation.from}`)
      : root;
  return {
    resource: {
      attributes: attributes({
        "service.name": "opencode-do-recovery-kit",
        "kit.run": run,
        "kit.host": host,
      }),
    },
    scopeSpans: [
      {
        scope: { name: "opencode-do-recovery-kit" },
        spans: [
          {
            ...{ traceId, spanId: root, name: trial, kind: INTERNAL },
            ...{ startTimeUnixNano: nanos(fromAt), endTimeUnixNano: nanos(toAt) },
            attributes: attributes({ "kit.trial": trial, "kit.condition": condition, "kit.valid": valid }),
            events: moments.map(({ seq, at, type, lane, text, decides }) => ({
              timeUnixNano: nanos(at),
              name: type,
              attributes: attributes({
                ...{ "kit.record": seq, "kit.lane": lane, "kit.text": text },
                ...(decides.length === 0 ? {} : { "kit.decides": decides }),
              }),
            })),
            status: valid ? { code: STATUS.ok } : { message: "the trial is invalid", code: STATUS.error },
          },
          ...stretches.map((one) => ({
            ...{ traceId, spanId: spanId(`${one.kind} ${one.from}`), parentSpanId: parentOf(one) },
            ...{ name: one.text, kind: INTERNAL },
            ...{ startTimeUnixNano: nanos(one.fromAt), endTimeUnixNano: nanos(one.toAt) },
            attributes: attributes({
              ...{ "kit.kind": one.kind, "kit.lane": one.lane, "kit.from": one.from },
              ...(one.to === null ? { "kit.ended": false } : { "kit.to": one.to }),
            }),
          })),
        ],
      },
    ],
  };
}

function attributes(given: Readonly<Record<string, Given>>): Attribute[] {
  return Object.entries(given).map(([key, value]) => ({ key, value: asValue(value) }));
}

function asValue(value: Given): Value {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "number") return { intValue: String(value) };
  if (typeof value === "boolean") return { boolValue: value };
  return { arrayValue: { values: value.map(asValue) } };
}

/** The same trial has the same ids in every export. */
function idOf(text: string, digits: number): string {
  return hash("sha256", text, "hex").slice(0, digits);
}

function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}
