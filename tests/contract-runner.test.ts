/**
 * `npm run test:contract` as a user runs it, with packages of the real names beside the stand-in. They are the stand-in
 * again, made different in one way each, so that the table is known beforehand.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { REPOSITORY } from "../scripts/base/repository.ts";
import { GROUPS } from "../scripts/checks/contract/cases/index.ts";
import { CHOICES } from "../scripts/checks/contract/uncertain-choices.ts";
import { FAKE_VERSION, placeFakeSdk } from "./support/fake-sdk.ts";
import { type Ended, kit } from "./support/kit.ts";

const standIn = (file: string) => JSON.stringify(join(REPOSITORY, "src/host/stand-in", file));

const PLUGIN = `export { Plugin } from ${standIn("define-plugin.ts")};`;

/** Retries are announced and not waited for. */
const HOST = `
  import { createStandIn } from ${standIn("create.ts")};
  const sleep = async (_ms, signal) => signal.throwIfAborted();
`;

/** Does what the contract leaves open: asks for a title. */
const TITLED = `${HOST}
  export const OpenCodeWorkerd = { create: (options) => createStandIn(options, { title: "call", sleep }) };
`;

/** Does that too, and takes an order beside a cursor, which the contract forbids. */
const LENIENT = `${HOST}
  const create = async (options) => {
    const host = await createStandIn(options, { title: "call", sleep });
    const list = ({ order, ...input }, request) =>
      host.message.list(input.cursor === undefined ? { order, ...input } : input, request);
    return { ...host, message: { list } };
  };
  export const OpenCodeWorkerd = { create };
`;
const BROKEN_RULE =
  "refuses a cursor together with an order, and gives an empty page for an unknown position";

const Table = z.object({
  hosts: z.object({ sdk: z.object({ name: z.string(), version: z.string() }) }),
  rules: z.array(z.object({ rule: z.string(), standIn: z.string(), sdk: z.string(), agreement: z.string() })),
  uncertain: z.array(z.object({ question: z.string(), standIn: z.string(), sdk: z.string() })),
});

const runContract = (...args: string[]) => kit("contract", ...args);

const folders: string[] = [];
async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  folders.push(made);
  return made;
}
afterAll(() => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true }))));

const TITLE = { question: "title of a root session", standIn: "no title call", sdk: "1 title call" };

describe("a package beside the stand-in", () => {
  let titled: Ended;
  let lenient: Ended;
  /** In the names of some rules, and of the case that sees whether a title is asked for. */
  const SOME = "the model";

  beforeAll(async () => {
    const run = async (sdk: string, ...args: string[]) => {
      const packages = await folder();
      await placeFakeSdk(packages, { sdk, plugin: PLUGIN });
      return runContract("--host", "sdk", "--packages", packages, "--json", ...args);
    };
    [titled, lenient] = await Promise.all([run(TITLED, "--rule", SOME), run(LENIENT)]);
  }, 240_000);

  const tableOf = ({ stdout }: Ended) => Table.parse(JSON.parse(stdout));
  const seenIn = (ended: Ended) =>
    tableOf(ended).uncertain.filter(({ standIn: own }) => !own.startsWith("not observed"));
  const seenToDiffer = (ended: Ended) => seenIn(ended).filter((row) => row.standIn !== row.sdk);
  const RULES = Object.values(GROUPS).flat();

  it("is named with its version, and is good where it differs only in what the contract leaves open", () => {
    const { rules, hosts } = tableOf(titled);
    expect(hosts.sdk).toMatchObject({ name: "@opencode/sdk", version: FAKE_VERSION });
    expect(rules.filter(({ agreement }) => agreement !== "agree")).toEqual([]);
    expect(seenToDiffer(titled)).toEqual([TITLE]);
    expect(titled.code).toBe(0);
  });

  it("is put only through the rules that were asked for", () => {
    const [some, all] = [titled, lenient].map((ended) => tableOf(ended).rules.map(({ rule }) => rule));
    expect(some).toEqual(all?.filter((rule) => rule.includes(SOME)));
    expect(some?.length).toBeGreaterThan(1);
    expect(all).toEqual(expect.arrayContaining(RULES.map(({ name }) => name)));
  });

  it("is not put through what only the stand-in can be put through, and through everything else", () => {
    const notRun = tableOf(lenient).rules.filter(({ agreement }) => agreement === "not run");
    const seams = RULES.filter(({ needs }) => needs === "seams");
    expect(notRun.map(({ rule }) => rule)).toEqual(seams.map(({ name }) => name));
  });

  it("has each uncertain reading reported beside the stand-in's", () => {
    expect(seenIn(lenient).map(({ question }) => question)).toEqual(Object.keys(CHOICES));
    expect(seenToDiffer(lenient)).toEqual([TITLE]);
  });

  it("is found to differ in exactly the rule that it breaks", () => {
    const { rules } = tableOf(lenient);
    const differing = rules.filter(({ agreement }) => agreement !== "agree" && agreement !== "not run");
    expect(differing).toEqual([{ rule: BROKEN_RULE, standIn: "holds", sdk: "fails", agreement: "differ" }]);
    expect(lenient.code).toBe(1);
  });
});

describe("what cannot be run", () => {
  it("is refused in one sentence where the packages are missing", async () => {
    const { code, stderr } = await runContract("--host", "sdk", "--packages", await folder());
    expect(code).toBe(2);
    expect(stderr).toMatch(/^recovery-kit: --host sdk: [^\n]+ not installed; [^\n]+\n$/);
  });

  it("is refused where the arguments are no good", async () => {
    for (const args of [["--host", "real"], ["--fast"], ["--rule", "no such rule"]]) {
      const { code, stderr } = await runContract(...args);
      expect([code, stderr.trimEnd().split("\n").length]).toEqual([2, 1]);
    }
  });

  it("is a failure of its own where a package does not offer what its name promises", async () => {
    const packages = await folder();
    await placeFakeSdk(packages, { sdk: "export const nothing = 1;", plugin: PLUGIN });
    const { code, stderr } = await runContract("--host", "sdk", "--packages", packages);
    expect(code).toBe(4);
    expect(stderr).toContain("No matching export in");
  });
});
