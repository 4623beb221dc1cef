import { defineTrial } from "opencode-do-recovery-kit";

/** The harness runs the tool again by itself, so what the model would do then makes no difference. */
export default defineTrial({
  object: { binding: "ISSUES" },
  client: {
    submit: ({ object, prompt, operationId }) => object.prompt(prompt, operationId),
    result: ({ object, operationId }) => object.answerTo(operationId),
    again: true,
    transcript: ({ object }) => object.messages(),
  },
  prompt: "Please create an issue: the tank leaks.",
  script: [
    { call: "create_issue", arguments: { title: "The tank leaks" } },
    { answer: "The issue is there." },
  ],
  policies: ["reissue", "new-key", "look-up", "give-up", "claim-success"],
  model: [{ match: "POST https://llm.provider.example/*" }],
  destinations: [
    {
      match: "POST https://api.tracker.example/repos/*/issues",
      action: "create-issue",
      receipt: { status: 201, body: { number: "{{attempt}}" } },
    },
  ],
});
