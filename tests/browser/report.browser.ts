/** Report pages as a reader meets them: written by the real command, opened from the disk in a real browser. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  storeRun,
} from "../../scripts/stored/testing/stored-trials.ts";
import type { TraceBuilder } from "../../src/reconcile/testing/trace-builder.ts";
import type { JournalRecord } from "../../src/trace/records.ts";
import { kit } from "../support/kit.ts";
import { openChromium } from "./chromium.ts";

const GOLDEN = "traces/golden/agents-0.32.0_opencode-stand-in-0.1.0_workerd-1.20261117.1";
const ABORT = "opencode/after-commit/abort/append/reissue";
/** The trial of the golden set that lost its host between effect and receipt. */
const TRIAL = "recovery-2-011";
const HOSTILE = `</script><img src=x onerror="document.title='taken over'"><b>${ABORT}`;

let dir: string;
let browser: Browser;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-report-"));
  browser = await openChromium();
});
afterAll(async () => {
  await browser?.close();
  await rm(dir, { recursive: true, force: true });
});

async function reportOf(name: string, ...runs: readonly string[]): Promise<string> {
  const file = join(dir, `${name}.html`);
  const { stdout, stderr } = await kit("report", ...runs, "--out", file);
  expect(stderr).toBe("");
  expect(stdout).toContain("Report: ");
  return file;
}

type Opened = {
  readonly page: Page;
  /** What a page should not do: complain, fail, or ask for anything but itself. */
  readonly wrong: readonly string[];
};

async function open(file: string, hash = "", scheme: "light" | "dark" = "light"): Promise<Opened> {
  const page = await browser.newPage({ colorScheme: scheme, viewport: { width: 1360, height: 950 } });
  const wrong: string[] = [];
  const own = pathToFileURL(file).href;
  page.on("console", (message) => wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url().replace(/#.*$/, "") !== own) wrong.push(`request: ${request.url()}`);
  });
  await page.goto(`${own}${hash}`);
  await page.locator("h2").first().waitFor();
  return { page, wrong };
}

/** Later by so much from the first reset on, as a slower machine would have it. */
function delayed(trial: TraceBuilder, delayMs: number): TraceBuilder {
  const reset = trial.records.find(({ type }) => type === "reset.performed");
  for (const record of trial.records)
    if (reset !== undefined && record.seq > reset.seq) Object.assign(record, { at: record.at + delayMs });
  return trial;
}

/** With an exception whose text is hostile in the place of a record of no weight. */
function withException(trial: TraceBuilder): TraceBuilder {
  const index = trial.records.findIndex(({ type }) => type === "phase.entered");
  const { seq = 0, at = 0, prev = "" } = trial.records[index] ?? {};
  const exception: JournalRecord<"worker.exception"> = {
    ...{ seq, at, prev, source: "subject", type: "worker.exception", activation: "A1", generation: 1 },
    ...{ ordinal: 1, where: "listener", error: `Error: ${HOSTILE}\u001b[31m`, stack: ["at index.js:1:1"] },
    because: null,
  };
  trial.records.splice(index, 1, exception);
  return trial;
}

describe("a report of a run", () => {
  let file: string;
  beforeAll(async () => {
    file = await reportOf("golden", join(GOLDEN, "taken"));
  });

  it.each(["light", "dark"] as const)(
    "opens from the disk in a %s theme without a complaint or a request",
    async (scheme) => {
      const { page, wrong } = await open(file, "", scheme);
      await page.getByText("All 4 canaries were convicted.").waitFor();
      await page.getByText("it is not a measurement of OpenCode").waitFor();
      const colors = await page
        .locator("body")
        .evaluate((body) => body.ownerDocument.defaultView?.getComputedStyle(body).backgroundColor);
      expect(colors).toBe(scheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 23, 28)");
      for (const hash of ["#times", "#conditions", `#${TRIAL}`, `#${TRIAL}/33`])
        await page.goto(`${pathToFileURL(file).href}${hash}`);
      expect(wrong).toEqual([]);
      await page.close();
    },
  );

  it("opens a row of equal answers to its conditions, and leads from there to a trial and back", async () => {
    const { page, wrong } = await open(file);
    const row = page.locator("#answers button.open").first();
    const list = page.locator(`#${await row.getAttribute("aria-controls")}`);
    expect(await list.isVisible()).toBe(false);
    await row.focus();
    await page.keyboard.press("Enter");
    expect(await row.getAttribute("aria-expanded")).toBe("true");
    expect(await list.locator("li").count()).toBe(10);
    await list.getByRole("link", { name: TRIAL }).click();
    await page.getByRole("heading", { name: TRIAL }).waitFor();
    expect(await page.title()).toContain(TRIAL);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "What was found" }).waitFor({ state: "attached" });
    expect(new URL(page.url()).hash).toBe("#trials");
    await page.goBack();
    await page.getByRole("heading", { name: TRIAL }).waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });

  it("marks the records that decide an axis, in the lanes and in the list, and nothing else", async () => {
    const { page } = await open(file, `#${TRIAL}`);
    const axis = page.getByRole("button", { name: "execution", exact: true });
    await axis.click();
    expect(await axis.getAttribute("aria-pressed")).toBe("true");
    const listed = await page.locator(".records tr.decides td:nth-child(2)").allTextContents();
    expect(listed).toEqual(["25", "33", "47"]);
    expect(await page.locator(".chart a.decides").count()).toBe(3);
    expect(await page.locator(".chart a.dimmed").count()).toBe(62);
    await axis.click();
    expect(await page.locator(".decides, .dimmed").count()).toBe(0);
    await page.close();
  });

  it("leads to every record by its address, those among them that are not listed at first", async () => {
    const { page } = await open(file, `#${TRIAL}/2`);
    expect(await page.locator("tr[aria-current] td:nth-child(2)").allTextContents()).toEqual(["2"]);
    const hrefs = await page
      .locator(".chart a")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    expect(new Set(hrefs)).toEqual(
      new Set(Array.from({ length: 65 }, (_, index) => `#${TRIAL}/${index + 1}`)),
    );
    await page.goto(`${pathToFileURL(file).href}#${TRIAL}/33`);
    const current = page.locator("tr[aria-current]");
    expect(await current.textContent()).toContain("told of a restart");
    const box = await current.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(950);
    await page.close();
  });

  it("steps through records and trials by keys", async () => {
    const { page } = await open(file, `#${TRIAL}`);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.waitForURL(/\/4$/);
    await page.keyboard.press("k");
    await page.waitForURL(/\/1$/);
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "recovery-2-012" }).waitFor();
    await page.keyboard.press("p");
    await page.getByRole("heading", { name: TRIAL }).waitFor();
    await page.close();
  });

  it("draws quiet interval, hold, withheld receipt and reset in the lanes, with long waits short or true to scale", async () => {
    const { page } = await open(file, `#${TRIAL}`);
    const titles = (await page.locator(".chart rect title").allTextContents()).join("\n");
    for (const words of [
      "quiet interval",
      "held at after-commit",
      "receipt of attempt 1 withheld",
      "reset 1, abort",
    ])
      expect(titles).toContain(words);
    const quiet = () => page.locator(".chart rect", { hasText: "quiet interval" }).boundingBox();
    const short = (await quiet())?.width ?? 0;
    await page.getByLabel("draw long waits short").uncheck();
    // 40.2 of 49.7 seconds.
    const lanes = (await page.locator(".chart svg").boundingBox())?.width ?? 1;
    expect((await quiet())?.width).toBeGreaterThan(short * 1.5);
    expect((await quiet())?.width).toBeLessThan(lanes);
    await page.close();
  });

  it("shows the trials whose words were asked for", async () => {
    const { page } = await open(file, "#trials");
    await page.getByRole("searchbox").fill("redeploy");
    expect(await page.locator("#trials tbody tr:visible").count()).toBe(1);
    await page.getByText("1 of 29 trials").waitFor();
    await page.close();
  });
});

describe("a report of hostile traces", () => {
  it("shows what they say as text", async () => {
    const folder = join(dir, "hostile");
    await storeRun(folder, [
      withException(duplicateTrial({ trial: "run-1-t1", condition: HOSTILE })),
      invalidTrial({ trial: "run-1-t2" }),
    ]);
    const { page, wrong } = await open(await reportOf("hostile", folder), "#run-1-t1");
    await page.getByText(HOSTILE).first().waitFor();
    // An exception is a line among the records, with what a terminal would carry out shown.
    await page
      .getByText(`uncaught exception in a listener: “Error: ${HOSTILE}\\u001b[31m”, at index.js:1:1`)
      .last()
      .waitFor();
    await page.goto(`${page.url().replace(/#.*/, "")}#found`);
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.locator("img, main b").count()).toBe(0);
    expect(await page.title()).toBe("run-1");
    expect(wrong).toEqual([]);
    await page.close();
  });
});

describe("a report of two runs", () => {
  it("says what differs, and shows each by itself", async () => {
    const [a, b] = [join(dir, "run-a"), join(dir, "run-b")];
    await storeRun(a, [duplicateTrial({ trial: "run-a-t1", run: "run-a" })]);
    await storeRun(b, [harmlessTrial({ trial: "run-b-t1", run: "run-b", condition: ABORT })]);
    const { page, wrong } = await open(await reportOf("two", a, b));
    await page.getByText("The runs differ: in 1 of 1 common conditions").waitFor();
    await page.getByText("What differs, in 1 condition").click();
    await page.getByRole("cell", { name: "2/1 duplicate ×1" }).waitFor();
    await page.getByRole("button", { name: "b: run-b" }).click();
    await page.locator("#trials").getByRole("link", { name: "run-b-t1" }).waitFor();
    expect(await page.locator("#trials").getByRole("link", { name: "run-a-t1" }).count()).toBe(0);
    expect(wrong).toEqual([]);
    await page.close();
  });
});

describe("a report of an upgrade", () => {
  it("answers whether one may upgrade, with what differs open and the rest to be opened", async () => {
    const pair = "opencode-server-1.15.13_opencode-server-1.18.33";
    const { page, wrong } = await open(await reportOf("upgrade", `traces/golden/upgrade_${pair}/taken`));
    const section = page.locator("#upgrade");
    await section.getByText("There is no way back").waitFor();
    const differing = section.locator("details[open]");
    expect(await differing.count()).toBe(1);
    await differing.getByText(/^crash loop: 3 attempts/).waitFor();
    expect(await section.locator("details:not([open])").count()).toBeGreaterThan(1);
    await section.getByText("rows gone: every one of: session_message (had 8)").waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });
});

describe("a report of a user's own Worker", () => {
  it("answers whether the tool is safe, with the trial that breaks it and what would have prevented it", async () => {
    const taken = "traces/golden/own_opencode-issue-tool/taken";
    const { page, wrong } = await open(await reportOf("own", taken));
    const section = page.locator("#safety");
    await section
      .getByText(/^No\. The smallest condition that breaks it: own\/after-commit\/abort/)
      .waitFor();
    await section.getByText(/^a key, at a destination that makes one effect for each key/).waitFor();
    await section.getByText(/not a measurement of OpenCode/).waitFor();
    await section.getByRole("link").click();
    // Its timeline has the second attempt.
    await page
      .getByText(/: attempt 2 at create-issue/)
      .first()
      .waitFor({ state: "attached" });
    expect(wrong).toEqual([]);
    await page.close();
  });
});

describe("an index of runs", () => {
  it.each(["light", "dark"] as const)(
    "opens in a %s theme, says what each run found and what it is worth, and leads to its page",
    async (scheme) => {
      const [traces, out] = [join(dir, `traces-${scheme}`), join(dir, `index-${scheme}`)];
      await storeRun(join(traces, "run-a"), [duplicateTrial({ trial: "run-a-t1", run: "run-a" })]);
      await storeRun(join(traces, "run-b"), [
        duplicateTrial({ trial: "run-b-t1", run: "run-b", expect: HARMLESS }),
      ]);
      await storeRun(join(traces, "run-c"), [invalidTrial({ trial: "run-c-t1", run: "run-c" })]);
      const { stdout } = await kit("report", "--index", out, "--traces", traces);
      expect(stdout).toContain("Index: ");
      const index = pathToFileURL(join(out, "index.html")).href;
      const page = await browser.newPage({ colorScheme: scheme, viewport: { width: 1360, height: 950 } });
      const wrong: string[] = [];
      page.on("console", (message) => wrong.push(message.text()));
      page.on("pageerror", (error) => wrong.push(error.message));
      page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(index.replace("index.html", ""))) wrong.push(url);
      });
      await page.goto(index);
      await page.getByRole("heading", { name: "3 runs" }).waitFor();
      const runs = await page.locator("li").allTextContents();
      expect(runs).toHaveLength(3);
      expect(runs[0]).toMatch(/^run-a · recovery · as expected1 trial, 1 valid, 1 as expected/);
      expect(runs[1]).toMatch(/^run-b · recovery · not as expected/);
      expect(runs[2]).toMatch(/^run-c · recovery · undecided1 trial, 0 valid/);
      for (const run of runs) expect(run).toContain("it is not a measurement of OpenCode");
      const ground = await page.locator("body").evaluate((body) => {
        const style = body.ownerDocument.defaultView?.getComputedStyle(body);
        return style?.backgroundColor;
      });
      expect(ground).toBe(scheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 23, 28)");
      await page.getByRole("link", { name: "run-b" }).click();
      await page.locator("#trials").getByRole("link", { name: "run-b-t1" }).waitFor();
      expect(await page.title()).toBe("run-b");
      expect(wrong).toEqual([]);
      await page.close();
    },
  );
});

describe("a report of 300 trials", () => {
  it("opens in less than two seconds, with intervals, acts and quantiles", async () => {
    const folder = join(dir, "many");
    const trials = Array.from({ length: 300 }, (_, index) => {
      const naming = { trial: `run-1-t${String(index + 1).padStart(3, "0")}`, repeat: index + 1 };
      const trial = index % 3 === 0 ? harmlessTrial(naming) : duplicateTrial(naming);
      return delayed(trial, (index * 37) % 400);
    });
    await storeRun(folder, trials);
    const file = await reportOf("many", folder);
    const { page, wrong } = await open(file);
    await page.locator("#trials").getByText("300 trials").waitFor();
    // From when the page was asked for, by its own clock.
    const shownMs = await page.evaluate(() => performance.getEntriesByName("report-shown")[0]?.startTime);
    expect(shownMs).toBeGreaterThan(0);
    expect(shownMs).toBeLessThan(2_000);
    await page.locator("#conditions").getByText("200/200").first().waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });
});
