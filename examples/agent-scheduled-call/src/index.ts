/** An agent that sends an invoice from a scheduled task. */
import { Agent, getAgentByName } from "agents";

type Env = { readonly BILLING: DurableObjectNamespace<BillingAgent> };

export class BillingAgent extends Agent<Env, { sent: Record<string, string>; visits: number }> {
  override initialState = { sent: {}, visits: 0 };

  async plan(order: string): Promise<void> {
    await this.schedule(1, "send", order);
  }

  async send(order: string): Promise<void> {
    const answer = await fetch("https://api.billing.example/invoices", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ order }),
    });
    const { id } = (await answer.json()) as { id: string };
    this.setState({ ...this.state, sent: { ...this.state.sent, [order]: id } });
  }

  invoiceOf(order: string): string | null {
    return this.state.sent[order] ?? null;
  }

  visit(): number {
    this.setState({ ...this.state, visits: this.state.visits + 1 });
    return this.state.visits;
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const agent = await getAgentByName(env.BILLING, "main");
    const order = new URL(request.url).searchParams.get("order") ?? "";
    await agent.plan(order);
    return Response.json({ planned: order });
  },
};
