import { expect, test } from "vitest";
import type { ToolDefinition } from "../types/plugin-types.ts";
import { isWhollyDenied } from "./permissions.ts";
import { parseArguments } from "./tool-input.ts";
import { contentOf } from "./tool-output.ts";
import { requireOfferable, snapshot } from "./toolset.ts";

const tool = (name: string, options: ToolDefinition["options"] = { codemode: false }): ToolDefinition => ({
  name,
  description: "",
  input: {},
  options,
  execute: () => ({}),
});

test("only a tool that code mode is not needed for can be offered", () => {
  expect(() => requireOfferable(tool("charge"))).not.toThrow();
  expect(() => requireOfferable(tool("charge", {}))).toThrow(/code mode/);
  expect(() => requireOfferable(tool("execute"))).toThrow(/reserved/);
  expect(() => requireOfferable(tool(""))).toThrow(/Invalid tool name/);
});

test("names are made of namespace and name, other characters replaced", () => {
  const offered = snapshot([tool("pay.out", { codemode: false, namespace: "bank" })], []).offered;
  expect([...offered.keys()]).toEqual(["bank_pay_out"]);
});

test("the last matching rule decides whether an action is wholly denied", () => {
  const deny = { action: "*", resource: "*", effect: "deny" };
  const allow = { action: "charge", resource: "*", effect: "allow" };
  expect(isWhollyDenied([], "charge")).toBe(false);
  expect(isWhollyDenied([deny], "charge")).toBe(true);
  expect(isWhollyDenied([deny, allow], "charge")).toBe(false);
  expect(isWhollyDenied([allow, deny], "charge")).toBe(true);
  expect(isWhollyDenied([{ ...deny, resource: "secret/*" }], "charge")).toBe(false);
});

test("arguments are a JSON object, or nothing at all", () => {
  expect(parseArguments("")).toEqual({});
  expect(parseArguments('{"a":1}')).toEqual({ a: 1 });
  for (const raw of ["[1]", "1", "null", '{"a":']) expect(parseArguments(raw)).toBeUndefined();
});

test("empty content becomes the JSON text of the declared output", () => {
  expect(contentOf({ content: "yes" }, false)).toEqual([{ type: "text", text: "yes" }]);
  expect(contentOf({ output: { a: 1 } }, true)).toEqual([{ type: "text", text: '{"a":1}' }]);
  expect(contentOf({ content: "" }, false)).toEqual([{ type: "text", text: "null" }]);
  expect(() => contentOf({ output: 1 }, false)).toThrow(/no output schema/);
});
