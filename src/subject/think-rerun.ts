/** `ThinkHarness` with tools that it may run again by itself when a call was cut short (`recovery: "rerun"`). */
import type { ToolSet } from "ai";
import { ThinkSubject } from "./think.ts";

export class ThinkRerunSubject extends ThinkSubject {
  protected override tools(): ToolSet {
    return Object.fromEntries(
      Object.entries(super.tools()).map(([name, tool]) => [name, { ...tool, recovery: "rerun" }]),
    );
  }
}
