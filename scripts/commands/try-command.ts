/** `try --agent "<command>"`: somebody's own agent, undisturbed and lost, beside the kit's own agents; one answer. */
import { join } from "node:path";
import { type Command, Option } from "commander";
import { ownAgent } from "../../experiments/own-agent.ts";
import {
  AGENT_REQUIRED,
  AGENT_TIMEOUT_MS,
  AGENT_TIMEOUT_MS_MAX,
  AGENT_TIMEOUT_MS_MIN,
  McpTransport,
} from "../../src/own/agent-definition.ts";
import { RunId } from "../../src/trace/ids.ts";
import { AGENT_POINTS, type AgentPoint } from "../../src/trace/points.ts";
import { printableJson } from "../base/printable.ts";
import { shownPath } from "../base/shown-path.ts";
import { DEFAULT_PROMPT, PLACEHOLDERS } from "../local/command/agent-command.ts";
import { askedAgent } from "../local/command/asked-agent.ts";
import { commandsWith } from "../local/command/controls.ts";
import { chooseHost } from "../local/workerd/host-choice.ts";
import { runResult } from "../present/json-result.ts";
import { pageFor } from "../present/page.ts";
import { reportOfRun } from "../present/reporters/report-of-run.ts";
import { answerTry } from "../present/try-answer.ts";
import { answerText, triedTrials } from "../present/try-answer-text.ts";
import { TryResult } from "../present/try-result.ts";
import { withAgentTimes } from "../run/agent-plan.ts";
import { makePlan } from "../run/make-plan.ts";
import { lockNewRun } from "../run/run-lock.ts";
import type { RunPlan } from "../run/run-plan.ts";
import { EVERYTHING } from "../run/selection.ts";
import { judgeFolder, writeVerdicts } from "../stored/judge-run.ts";
import { EXIT, type ExitCode, exitCodeOf } from "../stored/outcome.ts";
import { VERDICTS_FILE } from "../stored/trace-names.ts";
import { executeShown } from "./carry-out.ts";
import { parsedBy, tracesOption, wholeNumber } from "./options.ts";
import { type AskedReporter, replacesText, reporterOption, writeReports } from "./reporters.ts";
import { defaultRunId } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

const NAMES = { command: "--agent", state: "--state", prompt: "--prompt" } as const;
/** All trials at once: each agent is a process of its own. */
const CONCURRENCY = 100;

type TryOptions = {
  readonly agent: string;
  readonly state?: string;
  readonly prompt: string;
  readonly mcp: McpTransport;
  readonly point: AgentPoint;
  readonly timeoutMs: number;
  readonly seed?: number;
  readonly runId?: string;
  readonly traces: string;
  readonly json?: true;
  readonly reporter?: readonly AskedReporter[];
};

export function registerTry(program: Command, terminal: Terminal): void {
  program
    .command("try")
    .description(
      "kill an agent of your own that speaks MCP in the middle of its call, start it again, count its effects",
    )
    .requiredOption(
      "--agent <command>",
      `the command that starts it, without a shell; ${PLACEHOLDERS.join(", ")} stand for the prompt (else on standard input), its folder, the file with its MCP servers`,
    )
    .option(
      "--state <folder>",
      "the folder that is its state; each trial works in a copy (default: an empty one)",
    )
    .addOption(
      new Option("--prompt <text>", "what it is asked: to use the tool ledger_commit once").default(
        DEFAULT_PROMPT,
        "one entry in the ledger",
      ),
    )
    .addOption(
      new Option(
        "--mcp <transport>",
        "how the ledger is offered: as a server that it starts, or that it calls",
      )
        .choices(McpTransport.options)
        .default("stdio"),
    )
    .addOption(new Option("--reset <reset>", "how it is lost").choices(["kill"]).default("kill"))
    .addOption(
      new Option("--point <point>", "where it is lost").choices(AGENT_POINTS).default("after-commit"),
    )
    .option(
      "--timeout-ms <ms>",
      "how long it may take to its point, and from its second start to its end",
      wholeNumber(AGENT_TIMEOUT_MS_MIN, AGENT_TIMEOUT_MS_MAX),
      AGENT_TIMEOUT_MS,
    )
    .option("--seed <n>", "repeats the order and the delays of an earlier run", wholeNumber(0, 2 ** 31 - 1))
    .option("--run-id <id>", "name of the run", parsedBy(RunId))
    .addOption(tracesOption())
    .addOption(reporterOption())
    .option("--json", "print one JSON object instead of the answer")
    .action((options: TryOptions) => tryAgent(options, terminal));
}

async function tryAgent(options: TryOptions, terminal: Terminal): Promise<void> {
  const { json = false, reporter: reporters = [], traces } = options;
  const { stdout, stderr, exit } = terminal;
  const isReplaced = replacesText(reporters, json);
  const { agent: command, state, prompt, mcp } = options;
  const agent = askedAgent({ command, state, prompt, mcp }, process.cwd(), NAMES);
  const plan = planOf(options, terminal.argv);
  const folder = join(traces, plan.run);
  const release = await lockNewRun(folder, shownPath(folder));
  try {
    stderr.write(`run ${plan.run} · ${plan.specs.length} trials · seed ${plan.seed}\n`);
    const request = {
      plan,
      folder,
      host: chooseHost(plan.host),
      storage: "auto",
      declared: [],
      left: plan.specs,
      resume: null,
      own: null,
      commands: commandsWith(agent),
      heading: [],
    } as const;
    const outcome = await executeShown(
      request,
      { concurrency: CONCURRENCY, port: null, storage: "auto" },
      terminal,
    );
    if (outcome.cancelled && outcome.traces.length === 0) {
      stderr.write("Interrupted before anything was recorded.\n");
      exit(EXIT.interrupted);
      return;
    }
    const judged = await judgeFolder(folder);
    const { exitCode: answered, ...answer } = answerTry(triedTrials(judged));
    const whole = exitCodeOf(judged);
    const exitCode: ExitCode = outcome.cancelled
      ? EXIT.interrupted
      : whole === EXIT.kitFailed
        ? whole
        : answered;
    const lost = judged.trials.find(
      ({ spec }) => spec?.factors.subject === "command" && spec.factors.reset !== "none",
    );
    const look = lost === undefined ? "" : ` · look into it: npm run kit -- show ${shownPath(lost.path)}`;
    const where = `Traces: ${shownPath(folder)}${look} · judge them again: npm run judge -- ${shownPath(folder)}`;
    if (json)
      stdout.write(
        `${printableJson(TryResult.parse({ ...answer, run: runResult(judged, exitCode, []) }))}\n`,
      );
    else if (!isReplaced) stdout.write(`${answerText(answer, pageFor(stdout))}\n`);
    (json || isReplaced ? stderr : stdout).write(`${where}\n`);
    await writeReports(reporters, [reportOfRun(judged, exitCode)], terminal);
    await writeVerdicts(join(folder, VERDICTS_FILE), judged.trials);
    exit(exitCode);
  } finally {
    release();
  }
}

function planOf(options: TryOptions, argv: readonly string[]): RunPlan {
  const experiment = ownAgent({ points: [options.point], destination: "keyed" });
  const plan = makePlan(experiment, {
    run: options.runId ?? defaultRunId("try", new Date()),
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
    repeats: 1,
    quietMs: null,
    settleMs: null,
    host: chooseHost("auto").kind,
    only: EVERYTHING,
    loadPerSecond: 0,
    commandLine: ["recovery-kit", ...withoutFolders(argv)],
  });
  const timed = withAgentTimes(plan, options.timeoutMs);
  return { ...timed, specs: timed.specs.map((spec) => ({ ...spec, require: [...AGENT_REQUIRED] })) };
}

/** A trace holds no path of a machine: of each one its last part stays. */
function withoutFolders(argv: readonly string[]): string[] {
  const kept = argv.filter((text, index) => !text.startsWith("--traces") && argv[index - 1] !== "--traces");
  return kept.map((text) => text.replaceAll(/(^|[\s='"])[^\s='"]*\/([^\s='"/]+)/g, "$1$2"));
}
