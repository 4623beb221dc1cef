/** The transcript of a session in comparable form, read page by page as a client does. */
import { z } from "zod";
import type { EventLabel } from "./observation.ts";
import type { Scene } from "./scene.ts";
import { MessagePage } from "./sides/side.ts";

const Message = z.looseObject({
  type: z.string(),
  finish: z.string().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
  time: z.looseObject({ completed: z.number().optional() }),
  content: z
    .array(
      z.looseObject({
        type: z.string(),
        text: z.string().optional(),
        state: z.looseObject({ status: z.string() }).optional(),
      }),
    )
    .optional(),
});

/** More than any scenario's transcript. */
const PAGES_MAX = 50;

/** Pages of two, ascending, until a page has no successor. */
export async function pagesOf(scene: Scene, session: string): Promise<z.infer<typeof MessagePage>[]> {
  const pages: z.infer<typeof MessagePage>[] = [];
  let cursor: string | undefined;
  do {
    const page = cursor === undefined ? { order: "asc" as const, limit: 2 } : { cursor, limit: 2 };
    const reply = await scene.side.messages(session, page);
    if (!reply.ok) throw new Error(`Reading the transcript was refused: ${reply.tag}`);
    const read = MessagePage.parse(reply.value);
    pages.push(read);
    cursor = read.cursor.next ?? undefined;
  } while (cursor !== undefined && pages.length < PAGES_MAX);
  return pages;
}

export async function transcriptOf(scene: Scene, session: string): Promise<EventLabel[]> {
  const pages = await pagesOf(scene, session);
  return pages.flatMap(({ data }) => data.map((message) => describe(Message.parse(message))));
}

function describe({ type, finish, error, time, content }: z.infer<typeof Message>): EventLabel {
  const name = `message ${type}`;
  if (type !== "assistant") return { name, detail: "" };
  const parts = (content ?? []).map((part) =>
    part.type === "tool" ? `tool ${part.state?.status}` : part.type,
  );
  const end = finish ?? (time.completed === undefined ? "open" : "closed without finish");
  return { name, detail: `${parts.join(", ")}; ${end}${error === undefined ? "" : `, ${error.message}`}` };
}
