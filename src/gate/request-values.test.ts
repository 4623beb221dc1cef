import { expect, test } from "vitest";
import { GateRules, ResponseTemplate } from "./gate-rules.ts";
import { fill, ledgerPayload, readKey, readValue, responseOf, type SeenRequest } from "./request-values.ts";
import { routeRequest } from "./route-request.ts";

const seen = (changes: Partial<SeenRequest> = {}): SeenRequest => ({
  method: "POST",
  url: "https://x.example/a?q=1",
  headers: new Headers({ "Idempotency-Key": "k1" }),
  body: JSON.stringify({ items: [{ title: "one", count: 2, empty: "" }] }),
  stars: ["left", "right"],
  ...changes,
});

test.each([
  ["constant", "constant"],
  [{ header: "idempotency-key" }, "k1"],
  [{ header: "other" }, null],
  [{ query: "q" }, "1"],
  [{ star: 2 }, "right"],
  [{ star: 3 }, null],
  [{ body: "items.0.title" }, "one"],
  [{ body: "items.0.count" }, "2"],
  [{ body: "items.0" }, '{"title":"one","count":2,"empty":""}'],
  [{ body: "items.0.empty" }, null],
  [{ body: "items.length" }, null],
  [{ body: "items.0.__proto__" }, null],
])("the value of %j is %j", async (source, value) => {
  expect(await readValue(source, seen())).toBe(value);
});

test("a payload's hash is the same for the same request alone", async () => {
  const hash = (changes: Partial<SeenRequest> = {}) => readValue({ hash: "payload" }, seen(changes));
  const one = await hash();
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(await hash({ headers: new Headers(), stars: [] })).toBe(one);
  for (const other of [{ method: "PUT" }, { url: "https://x.example/b" }, { body: "" }])
    expect(await hash(other)).not.toBe(one);
});

test("what is too long for the ledger is told by its hash", async () => {
  const body = JSON.stringify({ key: "k".repeat(9_000) });
  expect(await readKey({ body: "key" }, seen({ body }))).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(await ledgerPayload(seen({ body }))).toMatch(/^sha256:[0-9a-f]{64}$/);
});

test("an answer takes its values where the template names them, with their own types", async () => {
  const values = { attempt: 3, receipt: "r3", key: null, entries: [{ id: "r1" }] };
  const template = {
    number: "{{attempt}}",
    text: "{{receipt}} of {{ attempt }}, {{key}}",
    title: "{{body:items.0.title}}",
    star: "{{star:1}}",
    all: ["{{entries}}", true, null],
    unknown: "{{nothing}}",
  };
  expect(fill(template, values, seen())).toEqual({
    number: 3,
    text: "r3 of 3, ",
    title: "one",
    star: "left",
    all: [[{ id: "r1" }], true, null],
    unknown: null,
  });
  const written = ResponseTemplate.parse({
    status: 202,
    headers: { etag: "{{attempt}}" },
    body: "ok {{receipt}}",
  });
  const response = responseOf(written, values, seen());
  expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([202, "3", "ok r3"]);
  expect(responseOf(ResponseTemplate.parse({ status: 204 }), values, seen()).body).toBeNull();
});

test("a rule for a destination comes before the model's, which comes before what is allowed", () => {
  const post = (url: string, body: object) => routeRequest(rules, "POST", url, JSON.stringify(body)).kind;
  const rules = GateRules.parse({
    destinations: [{ match: "POST https://x.example/v1/messages", action: "message" }],
    allow: ["* http://127.0.0.1:9/*"],
  });
  const asked = { model: "m", messages: [] };
  expect(post("https://x.example/v1/messages", asked)).toBe("attempt");
  expect(post("https://y.example/v1/messages", asked)).toBe("model");
  expect(post("http://127.0.0.1:9/v1/responses", { model: "m", input: "hello" })).toBe("model");
  expect(post("http://127.0.0.1:9/v1/responses", { input: "hello" })).toBe("allowed");
  expect(post("http://127.0.0.1:10/", {})).toBe("refused");
});
