import { defineExperiment, USUAL_TRIAL } from "opencode-do-recovery-kit/experiment";

// The same loss on a harness of the kit: what it does by itself, before your tool comes into it.
export default defineExperiment({
  name: "gap",
  title: "A loss between a commit and its receipt",
  description: "The host is lost after the effect is committed and before the agent learns of it.",
  // One level of every factor; what a block names is varied, and its lists are crossed.
  defaults: { ...USUAL_TRIAL, subject: "ai-sdk" },
  blocks: [
    {
      name: "gap",
      levels: { reset: ["abort", "kill"], destination: ["append", "unique"] },
      // What you expect of it; a verdict that differs makes the run red. Nothing is expected of what is not named.
      expect: [{ when: { destination: "unique" }, verdict: { effects: 1 } }],
    },
  ],
  // Broken on purpose: a judge that does not convict it says nothing about the others.
  canaries: [{ levels: { subject: "canary-replay" }, verdict: { flags: ["duplicate"] } }],
});
