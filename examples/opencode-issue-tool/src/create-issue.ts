/** The tool of the agent, in three ways: each creates one issue in the tracker. */
import { Plugin } from "@opencode/plugin";
import { z } from "zod";

const ISSUES = "https://api.tracker.example/repos/acme/app/issues";

/** What is done with the title before the model is told the issue's id. */
export type CreateIssue = (title: string) => Promise<string>;

/** Whoever asks twice gets two issues. */
export const plainly: CreateIssue = (title) => post(title, {});

/** The same title makes the same key, also after a restart: a tracker that knows keys makes one issue. */
export const withKey: CreateIssue = async (title) => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(title));
  const key = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return post(title, { "idempotency-key": key });
};

/** Asks the tracker first. */
export const afterLooking: CreateIssue = async (title) => {
  const answer = await fetch(`${ISSUES}?title=${encodeURIComponent(title)}`);
  const [found] = z.array(z.object({ id: z.string() })).parse(await answer.json());
  return found?.id ?? post(title, {});
};

async function post(title: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(ISSUES, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ title }),
  });
  if (!answer.ok) throw new Error(`the tracker answered ${answer.status}`);
  return z.object({ id: z.string() }).parse(await answer.json()).id;
}

export function issuePlugin(createIssue: CreateIssue) {
  return Plugin.define({
    id: "acme.issues",
    setup(context) {
      context.tool.transform((tools) => {
        tools.add({
          name: "create_issue",
          description: "Creates an issue in the project.",
          input: z.object({ title: z.string() }),
          options: { codemode: false },
          execute: async (input) => {
            const { title } = z.object({ title: z.string() }).parse(input);
            return { content: `issue ${await createIssue(title)}` };
          },
        });
      });
    },
  });
}
