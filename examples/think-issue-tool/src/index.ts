/** A Think agent with a tool that creates an issue. The tool may be run again after an interruption. */
import { DurableObject } from "cloudflare:workers";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ThinkHarness } from "agents/harness/think";
import { Lifecycle } from "agents/lifecycle";
import { tool } from "ai";
import { z } from "zod";

type Env = { readonly ISSUES: DurableObjectNamespace<IssueAgent>; readonly PROVIDER_KEY: string };

const SESSION = "main";

const createIssue = {
  ...tool({
    description: "Creates an issue in the project.",
    inputSchema: z.object({ title: z.string() }),
    execute: async ({ title }) => {
      const answer = await fetch("https://api.tracker.example/repos/acme/app/issues", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ title }),
      });
      if (!answer.ok) throw new Error(`the tracker answered ${answer.status}`);
      return (await answer.json()) as { number: number };
    },
  }),
  recovery: "rerun" as const,
};

export class IssueAgent extends DurableObject<Env> {
  readonly harness = new ThinkHarness({
    model: createOpenAICompatible({
      name: "provider",
      baseURL: "https://llm.provider.example/v1",
      apiKey: this.env.PROVIDER_KEY,
    }).chatModel("large"),
    tools: { create_issue: createIssue },
  });
  readonly lifecycle = Lifecycle.install(this).use(this.harness);

  async prompt(text: string, operationId: string): Promise<{ accepted: boolean }> {
    await this.lifecycle.start();
    const { accepted } = await this.harness.session(SESSION).submit(text, { operationId });
    return { accepted };
  }

  async answerTo(operationId: string): Promise<{ status: string; text?: string; reason?: string }> {
    await this.lifecycle.start();
    const bound = AbortSignal.timeout(200);
    try {
      const { status, text, reason } = await this.harness.session(SESSION).wait(operationId, bound);
      return { status, ...(text === undefined ? {} : { text }), ...(reason === undefined ? {} : { reason }) };
    } catch (error) {
      if (bound.aborted) return { status: "pending" };
      throw error;
    }
  }

  async messages(): Promise<unknown[]> {
    await this.lifecycle.start();
    return this.harness.session(SESSION).messages();
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const agent = env.ISSUES.getByName("main");
    return Response.json(await agent.prompt(await request.text(), crypto.randomUUID()));
  },
};
