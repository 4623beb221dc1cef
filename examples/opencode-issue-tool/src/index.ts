/** An OpenCode agent with a tool that creates an issue. */
import { DurableObject } from "cloudflare:workers";
import { OpenCodeWorkerd } from "@opencode/sdk/workerd";
import { OpenCodeHarness } from "agents/harness/opencode";
import { Lifecycle } from "agents/lifecycle";
import { afterLooking, type CreateIssue, issuePlugin, plainly, withKey } from "./create-issue.ts";

type Env = { readonly PLAIN: DurableObjectNamespace<IssueAgent>; readonly PROVIDER_KEY: string };

abstract class IssueAgent extends DurableObject<Env> {
  protected abstract createIssue(): CreateIssue;

  readonly harness = new OpenCodeHarness({
    opencode: ({ storage }) =>
      OpenCodeWorkerd.create({
        storage,
        plugins: [issuePlugin(this.createIssue())],
        models: { snapshot: false, fetch: false },
        config: {
          model: "acme/large",
          default_agent: "build",
          permissions: [
            { action: "*", resource: "*", effect: "deny" },
            { action: "create_issue", resource: "*", effect: "allow" },
          ],
          providers: {
            acme: {
              name: "Acme",
              package: "@opencode/ai/providers/openai-compatible",
              settings: { baseURL: "https://llm.provider.example/v1", apiKey: this.env.PROVIDER_KEY },
              models: {
                large: {
                  name: "Large",
                  capabilities: { tools: true, input: ["text"], output: ["text"] },
                  limit: { context: 128_000, output: 8_192 },
                },
              },
            },
          },
        },
      }),
    defaults: { model: { providerID: "acme", id: "large" }, agent: "build" },
  });
  readonly lifecycle = Lifecycle.install(this).use(this.harness);

  async prompt(text: string, operationId: string): Promise<{ accepted: boolean }> {
    await this.lifecycle.start();
    const { accepted } = await this.harness.submit(text, { operationId });
    return { accepted };
  }

  async answerTo(operationId: string): Promise<{ status: string; text?: string; reason?: string }> {
    await this.lifecycle.start();
    const bound = AbortSignal.timeout(200);
    try {
      const { status, text, reason } = await this.harness.wait(operationId, { signal: bound });
      return { status, ...(text === undefined ? {} : { text }), ...(reason === undefined ? {} : { reason }) };
    } catch (error) {
      if (bound.aborted) return { status: "pending" };
      throw error;
    }
  }

  async messages(): Promise<unknown[]> {
    await this.lifecycle.start();
    return [...(await this.harness.session().messages())];
  }
}

export class PlainAgent extends IssueAgent {
  protected override createIssue() {
    return plainly;
  }
}

export class KeyedAgent extends IssueAgent {
  protected override createIssue() {
    return withKey;
  }
}

export class LookingAgent extends IssueAgent {
  protected override createIssue() {
    return afterLooking;
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const agent = env.PLAIN.getByName("main");
    return Response.json(await agent.prompt(await request.text(), crypto.randomUUID()));
  },
};
