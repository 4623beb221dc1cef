import { defineTrial } from "opencode-do-recovery-kit";

export default defineTrial({
  object: { binding: "BILLING" },
  client: {
    submit: async ({ object, operationId }) => object.plan(operationId),
    result: async ({ object, operationId }) => {
      const invoice = await object.invoiceOf(operationId);
      return invoice === null ? { status: "pending" } : { status: "done", text: `invoice ${invoice}` };
    },
    later: async ({ object }) => object.visit(),
  },
  destinations: [{ match: "POST https://api.billing.example/invoices", action: "send-invoice" }],
});
