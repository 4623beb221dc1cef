import { defineTrial } from "opencode-do-recovery-kit";

/** The tool as it is: no key, and it does not look. */
export default defineTrial({
  object: { binding: "PLAIN" },
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
  model: [{ match: "POST https://llm.provider.example/*" }],
  destinations: [
    {
      match: "POST https://api.tracker.example/repos/*/issues",
      action: "create-issue",
      receipt: { status: 201, body: { id: "{{receipt}}" } },
    },
  ],
});
