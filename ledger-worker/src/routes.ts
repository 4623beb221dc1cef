/**
 * The HTTP protocol of src/trace/protocol/ledger-protocol.ts as the object serves it: parse, hand over, answer. The gate has
 * checked secret, method, body size and trial id.
 */
import { Hono } from "hono";
import { z } from "zod";
import { answerError, answerNotFound, parseInput, readBody } from "../../src/link/admission.ts";
import { Count } from "../../src/trace/index.ts";
import {
  AppendListRequest,
  AppendRequest,
  type AppendResponse,
  AttemptRequest,
  AWAIT_MS_MAX,
  AwaitQuery,
  EndRequest,
  JOURNAL_PAGE_MAX,
  LedgerConfig,
  LookUpRequest,
  ModelCallRequest,
  ModelStreamRequest,
  type RecordResponse,
  ReleaseRequest,
} from "../../src/trace/protocol/ledger-protocol.ts";
import { appendRecord, appendRecords } from "./append-record.ts";
import { makeAttempt } from "./attempts.ts";
import { awaitRecord } from "./await.ts";
import type { Ledger } from "./ledger.ts";
import { lookUp } from "./look-ups.ts";
import { requestModel, streamModel } from "./model-calls.ts";
import { numberOf } from "./query.ts";
import { endTrial, release } from "./releases.ts";
import { configure, readStatus, readTrial } from "./trial.ts";

/** All that a caller learns of a fault. */
export const FAULT = "The ledger failed; whether it recorded anything is unknown.";

const JournalQuery = z.strictObject({ after: Count, limit: z.number().int().min(1).max(JOURNAL_PAGE_MAX) });

/** A hold that is named twice would be one place with two states. */
const Configuration = LedgerConfig.refine(
  ({ holds }) =>
    new Set(holds.map(({ point, occurrence }) => `${point}/${occurrence}`)).size === holds.length,
  { path: ["holds"], error: "expected each hold once" },
);

export function routesOf(ledger: Ledger): Hono {
  const app = new Hono();
  app.onError(answerError("ledger-failed", FAULT));
  app.notFound(answerNotFound);

  app.put("/trials/:trial", async (c) => {
    configure(ledger, c.req.param("trial"), await readBody(c, Configuration));
    return c.json(readStatus(ledger));
  });
  app.get("/trials/:trial", (c) => c.json(readStatus(ledger)));

  app.post("/trials/:trial/records", async (c) => {
    const response: AppendResponse = appendRecord(ledger, await readBody(c, AppendRequest));
    return c.json(response);
  });
  app.post("/trials/:trial/record-lists", async (c) =>
    c.json(appendRecords(ledger, await readBody(c, AppendListRequest))),
  );
  app.get("/trials/:trial/records/:id", (c) => {
    readTrial(ledger);
    return c.json({ record: ledger.journal.ofId(c.req.param("id")) ?? null } satisfies RecordResponse);
  });
  app.post("/trials/:trial/attempts", async (c) =>
    c.json(await makeAttempt(ledger, await readBody(c, AttemptRequest), c.req.raw.signal)),
  );
  app.post("/trials/:trial/look-ups", async (c) => c.json(lookUp(ledger, await readBody(c, LookUpRequest))));
  app.post("/trials/:trial/model-calls", async (c) =>
    c.json(await requestModel(ledger, await readBody(c, ModelCallRequest), c.req.raw.signal)),
  );
  app.post("/trials/:trial/model-streams", async (c) => {
    const { call } = await readBody(c, ModelStreamRequest);
    await streamModel(ledger, call, c.req.raw.signal);
    return c.json({});
  });
  app.post("/trials/:trial/releases", async (c) => {
    release(ledger, await readBody(c, ReleaseRequest));
    return c.json(readStatus(ledger));
  });
  app.post("/trials/:trial/end", async (c) => {
    endTrial(ledger, await readBody(c, EndRequest));
    return c.json(readStatus(ledger));
  });

  app.get("/trials/:trial/await", async (c) => {
    readTrial(ledger);
    const { types, after, timeoutMs, ...rest } = c.req.query();
    const query = parseInput(
      AwaitQuery,
      {
        ...rest,
        types: types === undefined ? undefined : types.split(","),
        after: numberOf(after, 0),
        timeoutMs: numberOf(timeoutMs, AWAIT_MS_MAX),
      },
      "query",
    );
    return c.json(await awaitRecord(ledger, query, c.req.raw.signal));
  });
  app.get("/trials/:trial/journal", (c) => {
    readTrial(ledger);
    const { after, limit, ...rest } = c.req.query();
    const query = parseInput(
      JournalQuery,
      { ...rest, after: numberOf(after, 0), limit: numberOf(limit, JOURNAL_PAGE_MAX) },
      "query",
    );
    const head = ledger.journal.head();
    return new Response(ledger.journal.linesAfter(query.after, query.limit), {
      headers: {
        "content-type": "application/x-ndjson; charset=utf-8",
        "x-journal-records": String(head.seq),
        "x-journal-head": head.hash,
      },
    });
  });
  return app;
}
