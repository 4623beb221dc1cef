/** A few golden traces that show, one after the other, what trials are about. */
const SET = "traces/golden/agents-0.32.0_opencode-stand-in-0.1.0_workerd-1.20261117.1/taken";

export const READ_FIRST = [
  { trace: "opencode+none+none+append+reissue", shows: "Nothing is lost: what a whole turn looks like." },
  {
    trace: "opencode+model-request+abort+append+reissue",
    shows:
      "The host is lost while the model has not answered yet. Nothing had happened outside, so going on is safe.",
  },
  {
    trace: "opencode+after-commit+abort+append+reissue",
    shows:
      "The acknowledgement gap: the change is made, its receipt is withheld, the host is lost. The model is told that the call was interrupted, asks again, and the change is made twice.",
  },
  {
    trace: "opencode+after-commit+abort+append+look-up",
    shows: "The same loss; the model looks up what the ledger has, and does not repeat it.",
  },
  {
    trace: "opencode+after-commit+abort+append+give-up",
    shows: "The same loss; the model stops, and nobody can say what happened from its answer.",
  },
  {
    trace: "opencode+before-commit+abort+append+reissue+heldAttempt-committed-late",
    shows: "The first attempt is still on its way when recovery acts, and lands afterwards.",
  },
  {
    trace: "opencode+after-receipt+abort+append+reissue",
    shows: "The receipt had arrived before the loss: it is in the session's log, and nothing is repeated.",
  },
  {
    trace: "opencode+after-commit+kill+append+reissue",
    shows: "The process is killed instead. `process.ended` and another isolate prove it.",
  },
  {
    trace: "canary-amnesia+after-commit+abort+append+reissue",
    shows:
      "A subject broken on purpose: it forgets its session, takes the known operation for new, and is convicted.",
  },
].map(({ trace, shows }) => ({ trace: `${SET}/${trace}.jsonl`, shows }));
