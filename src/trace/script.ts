/**
 * What the scripted model does in an agent that has tools of its own: the prompt that a client hands in, then calls of her
 * tools in their order, and an answer. A step also says what each policy needs to know of its call.
 */
import { z } from "zod";

const ToolName = z.string().min(1).max(100).describe("name of the tool, as the agent offers it");
const ToolArguments = z.record(z.string().max(100), z.json());

const CallStep = z
  .strictObject({
    call: ToolName,
    arguments: ToolArguments.default({}).describe("what the tool is called with"),
    changed: ToolArguments.optional().describe(
      "what it is called with the second time under the policy `new-key`; absent where that policy is not asked for",
    ),
    shows: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        "text that its result has when it succeeded; absent where any result that is no error counts",
      ),
    lookUp: z
      .strictObject({
        call: ToolName,
        arguments: ToolArguments.default({}).describe("what the tool is called with"),
        found: z.string().min(1).max(500).describe("text that its result has when the change was made"),
      })
      .optional()
      .describe(
        "how the policy `look-up` finds out whether the change was made; absent where it is not asked for",
      ),
  })
  .refine(({ call, lookUp }) => lookUp?.call !== call, {
    message: "a look-up has to be another tool than the one whose call is looked up",
    path: ["lookUp", "call"],
  });
export type CallStep = z.infer<typeof CallStep>;

const AnswerStep = z.strictObject({
  answer: z.string().min(1).max(2_000).describe("what the model says at the end"),
});

/** A step of the script. */
export const ScriptStep = z.union([CallStep, AnswerStep], "write { call, arguments } or { answer }");
export type ScriptStep = z.infer<typeof ScriptStep>;

export const Script = z
  .strictObject({
    prompt: z.string().min(1).max(10_000).describe("what the client asks of the agent"),
    steps: z
      .array(ScriptStep)
      .min(1)
      .max(20)
      .refine((steps) => steps.every((step, index) => "call" in step || index === steps.length - 1), {
        message: "an answer ends the turn: nothing can follow it",
      })
      .describe("what the model does, in order"),
  })
  .meta({ title: "Script" });
export type Script = z.infer<typeof Script>;
