/**
 * What published sources leave open (host contract, section 15), and what the stand-in does about it. The suite
 * observes these on every host and asserts them on none but the stand-in, whose choices are documented.
 */

/** Question → what is observed on the stand-in: the choice that docs/stand-in.md lists. */
export const CHOICES = {
  "form of `config`": "both a plain object and `{content}`",
  "`fetch` option": "taken; without it `globalThis.fetch`",
  retries: "10, each after at most 10 s",
  "option of `interrupt`": "`resume`",
  "cancelling an input that is gone": "nothing happens",
  "argument of `fork`": "`before`",
  "tool context": "has `signal`; has no `checkpoint`",
  "a tool that throws": "failed as `unknown`, after the other calls",
  "claim column": "`time_suspended`",
  "`error` of an idle message": "present",
  "metadata of the restart notice": "`notice: restart`",
  "which of sweep and ring wins at boot": "the sweep",
  "child sessions at boot": "claim released, nothing else",
  "when chat-completion calls are released": "at the end of the stream",
  "limit of a page": "200",
  "default directory": "`/`",
  "title of a root session": "no title call",
  "large tool output": "passed on whole",
} as const;

export type Question = keyof typeof CHOICES;

/** Choices that cannot be told apart from outside, with the reason. */
export const UNSEEN = {
  "order of sweep and plugins": {
    choice: "plugins are registered first",
    reason: "a resumed run waits for the plugins in either order",
  },
  "capacity of the event feed": {
    choice: "4096",
    reason: "it takes thousands of events that nobody reads",
  },
} as const;
