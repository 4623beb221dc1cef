import { expect, it } from "vitest";
import { inNamesOf, LAYOUT_1, LAYOUT_2, LAYOUT_OLD } from "./table-layouts.ts";

const query = "UPDATE session_v2 SET time_suspended = ? WHERE time_suspended IS NULL";

it("leaves a statement as it is written in layout 1", () => {
  expect(inNamesOf(LAYOUT_1, query)).toBe(query);
});

it("gives a statement the names of the layout", () => {
  expect(inNamesOf(LAYOUT_2, query)).toBe(
    "UPDATE session_v2 SET execution_claimed_at = ? WHERE execution_claimed_at IS NULL",
  );
  expect(inNamesOf(LAYOUT_OLD, query)).toBe(
    "UPDATE session SET time_suspended = ? WHERE time_suspended IS NULL",
  );
});
