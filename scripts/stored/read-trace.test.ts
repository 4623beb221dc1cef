import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTrace } from "../../src/trace/file.ts";
import { parseTraceBytes, type ReadLimits, readTrace } from "./read-trace.ts";
import { duplicateTrial, traceText } from "./testing/stored-trials.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const TEXT = traceText(duplicateTrial());

describe("reading a trace from disk", () => {
  let path: string;
  beforeAll(async () => {
    path = join(await mkdtemp(join(tmpdir(), "read-trace-")), "trace.jsonl");
  });
  afterAll(() => rm(join(path, ".."), { recursive: true, force: true }));

  const read = async (content: string | Buffer, limits?: ReadLimits) => {
    await writeFile(path, content);
    const parsed = readTrace(path, limits);
    // One that came out of an archive is no other trace.
    expect(parseTraceBytes(Buffer.from(content), limits)).toEqual(parsed);
    return parsed;
  };
  const codes = ({ problems }: { problems: readonly { code: string }[] }) => problems.map(({ code }) => code);

  it("reads what was written", async () => {
    const parsed = await read(TEXT);
    expect(parsed).toEqual({ ...parseTrace(TEXT, hash), isWhole: true });
    expect(parsed.problems).toEqual([]);
  });

  it("reads lines that are longer than the chunks in which the file arrives", async () => {
    const builder = duplicateTrial();
    for (const record of builder.records)
      if (record.type === "operation.settled") Object.assign(record, { text: "ü".repeat(19_000) });
    for (let copy = 0; copy < 10; copy++)
      builder.records.push({ ...builder.records.at(-1)!, seq: builder.records.length + 1 });
    expect(codes(await read(traceText(builder)))).toEqual([]);
  });

  it("ends a line at a line feed only: other line breaks belong to the text that was hashed", async () => {
    const builder = duplicateTrial();
    for (const record of builder.records)
      if (record.type === "operation.settled")
        Object.assign(record, { text: "one\u2028two\u2029three\u0085four" });
    const text = traceText(builder);
    expect(text).toContain("\u2028");
    expect(codes(await read(text))).toEqual([]);
  });

  it("notices line ends that were rewritten", async () => {
    expect(codes(await read(TEXT.replaceAll("\n", "\r\n")))).toContain("chain-broken");
  });

  it("notices a broken last line", async () => {
    expect(codes(await read(TEXT.slice(0, -30)))).toContain("line-unreadable");
  });

  it("notices bytes that are not UTF-8", async () => {
    const bytes = Buffer.from(TEXT);
    const at = bytes.indexOf("committed", TEXT.length / 2);
    bytes[at] = 0xff;
    expect(codes(await read(bytes))).not.toEqual([]);
  });

  it("tells a file whose end is missing from one that is damaged before it", async () => {
    const lines = TEXT.trimEnd().split("\n");
    const [header = "", first = "", ...others] = lines;
    const text = (kept: readonly string[]) => kept.map((line) => `${line}\n`).join("");
    const cut = [TEXT.slice(0, -30), text(lines.slice(0, -1)), header, text([first, ...others]), ""];
    for (const content of cut) expect((await read(content)).isWhole).toBe(false);
    expect((await read(text([header, "not a record", ...others]))).isWhole).toBe(true);
  });

  it("notices that the last line feed is missing, even where no line is changed", async () => {
    expect(codes(await read(TEXT.trimEnd()))).toEqual(["line-unended"]);
  });

  it("reads an empty file as an empty file", async () => {
    expect(codes(await read(""))).toEqual(["empty-file"]);
  });

  it("gives up on a file above the limit and says so", async () => {
    const bytes = Buffer.byteLength(TEXT);
    const limits = { bytes, lineBytes: bytes };
    expect(codes(await read(TEXT, limits))).toEqual([]);
    expect(codes(await read(`${TEXT}\n`, limits))).toEqual(["too-large"]);
  });

  it("gives up on a line above the limit, and keeps what came before it", async () => {
    // Longer than the part in which the file arrives, so that the line begins in one and goes on in the next.
    const parsed = await read(`${TEXT}${"x".repeat(600_000)}`, { bytes: 1e9, lineBytes: 500_000 });
    expect(codes(parsed)).toEqual(["too-large"]);
    expect(parsed.header?.trial).toBe("run-1-t1");
    expect(parsed.isWhole).toBe(false);
  });
});
