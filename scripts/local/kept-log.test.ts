import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keepLog } from "./kept-log.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-log-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function kept(text: string, most?: number): Promise<string> {
  const [from, to] = [join(dir, "from"), join(dir, "to")];
  await writeFile(from, text);
  await keepLog(from, to, SECRET, most);
  return readFile(to, "utf8");
}

describe("the log that is kept", () => {
  it("is the whole of a short one, without the run's secret", async () =>
    expect(await kept(`warn: a\nerror: KIT_SECRET=${SECRET}, twice ${SECRET}\n`)).toBe(
      "warn: a\nerror: KIT_SECRET=<secret of the run>, twice <secret of the run>\n",
    ));

  it("shows what would move a cursor or change colours, and does none of it", async () =>
    expect(await kept("error: \u001b[31mred\u0007\nnext\n")).toBe("error: \\u001b[31mred\\u0007\nnext\n"));

  it("is the end of a long one, in whole lines, and says that it is", async () =>
    expect(await kept(`${"x".repeat(500)}\nlast but one\nlast\n`, 20)).toBe(
      "… the beginning is not kept\nlast but one\nlast\n",
    ));

  it("never has a part of the secret, wherever it is cut", async () => {
    for (let most = 1; most < 80; most += 1) {
      const text = await kept(`first line\n${SECRET} second\nthird line ${SECRET}\nend\n`, most);
      for (let at = 0; at + 8 <= SECRET.length; at += 1) expect(text).not.toContain(SECRET.slice(at, at + 8));
    }
  });
});
