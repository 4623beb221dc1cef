import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { pageFor } from "./page.ts";

const widthFor = (terminal: { isTTY: boolean; columns: number } | null, COLUMNS?: string) =>
  pageFor(
    Object.assign(new PassThrough(), terminal ?? { isTTY: false, columns: 0 }),
    COLUMNS === undefined ? {} : { COLUMNS },
  ).width;

it.each([
  ["a pipe", null, undefined, 100],
  ["a pipe of a reader who says more", null, "120", 120],
  ["a terminal", { isTTY: true, columns: 80 }, undefined, 80],
  ["a terminal of a reader who says less", { isTTY: true, columns: 120 }, "80", 80],
  ["a terminal that is too narrow for tables", { isTTY: true, columns: 40 }, undefined, 60],
  ["a terminal that is too wide to read", { isTTY: true, columns: 220 }, undefined, 140],
  ["a terminal that does not know its width", { isTTY: true, columns: 0 }, undefined, 100],
  ["a reader who says nothing of use", null, "wide", 100],
])("the width for %s", (_, terminal, columns, width) => {
  expect(widthFor(terminal, columns)).toBe(width);
});
