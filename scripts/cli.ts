/**
 * The command line: composes the commands and turns whatever they throw into one sentence and an exit code. A mistake
 * of the user's is a sentence and 2, what the machine refuses a sentence and 4; a bug of the kit shows its stack and is 4.
 */
import { Command, CommanderError } from "commander";
import { InvalidExperimentError } from "../experiments/registry.ts";
import packageJson from "../package.json" with { type: "json" };
import type { KitWork } from "./base/kit-work.ts";
import { machineErrorOf } from "./base/machine-error.ts";
import { printable, printableLines } from "./base/printable.ts";
import { IS_PACKAGE } from "./base/repository.ts";
import { UserError } from "./base/user-error.ts";
import { letYoungGenerationGrow } from "./base/young-generation.ts";
import type { RegisterCommand, Terminal } from "./commands/terminal.ts";
import { leaveScratch } from "./local/process/scratch.ts";
import { EXIT, type ExitCode } from "./stored/outcome.ts";

type LoadCommand = () => Promise<RegisterCommand>;

/** They read files that only the checkout has. */
const KIT_COMMANDS: Readonly<Record<KitWork, LoadCommand>> = {
  contract: async () => (await import("./commands/contract-command.ts")).registerContract,
  mutants: async () => (await import("./commands/mutants-command.ts")).registerMutants,
  oracle: async () => (await import("./commands/oracle-command.ts")).registerOracle,
  golden: async () => (await import("./commands/golden-command.ts")).registerGolden,
  schemas: async () => (await import("./commands/schemas-command.ts")).registerSchemas,
  bench: async () => (await import("./commands/bench-command.ts")).registerBench,
  "host-sdk": async () => (await import("./commands/host-sdk-command.ts")).registerHostSdk,
};

/**
 * By the heading that they stand under in the help, in this order; each under its name. A new command is a line here and a
 * file. Only what is asked for is loaded: all of them are half of a command's start.
 */
export const COMMANDS: Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> = {
  "Commands:": {
    init: async () => (await import("./commands/init-command.ts")).registerInit,
    run: async () => (await import("./commands/run-command.ts")).registerRun,
    try: async () => (await import("./commands/try-command.ts")).registerTry,
    judge: async () => (await import("./commands/judge-command.ts")).registerJudge,
    show: async () => (await import("./commands/show-command.ts")).registerShow,
    report: async () => (await import("./commands/report-command.ts")).registerReport,
    inspect: async () => (await import("./commands/inspect-command.ts")).registerInspect,
    export: async () => (await import("./commands/export-command.ts")).registerExport,
    summary: async () => (await import("./commands/summary-command.ts")).registerSummary,
    compare: async () => (await import("./commands/compare-command.ts")).registerCompare,
    sweep: async () => (await import("./commands/sweep-command.ts")).registerSweep,
    upgrade: async () => (await import("./commands/upgrade-command.ts")).registerUpgrade,
    plan: async () => (await import("./commands/plan-command.ts")).registerPlan,
    list: async () => (await import("./commands/list-command.ts")).registerList,
    deploy: async () => (await import("./commands/deploy-command.ts")).registerDeploy,
    doctor: async () => (await import("./commands/doctor-command.ts")).registerDoctor,
  },
  ...(IS_PACKAGE ? {} : { "Commands for work on the kit itself:": KIT_COMMANDS }),
};

/** They run trials, and do with the little room for new objects that the entry left them; `bench` measures such a run. */
const MOSTLY_WAIT: readonly (string | undefined)[] = ["run", "try", "sweep", "upgrade", "deploy", "bench"];

/** What a write fails with once nobody reads: a pipe, a terminal, and every later one. */
const READER_GONE: readonly (string | undefined)[] = ["EPIPE", "EIO", "ERR_STREAM_DESTROYED"];

export async function main(argv: readonly string[]): Promise<void> {
  if (!MOSTLY_WAIT.includes(argv[0])) letYoungGenerationGrow();
  // A reader that goes (`| head`, a closed terminal) has read what it wanted: the work and its exit code stay the same.
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!READER_GONE.includes(error.code)) throw error;
    });
  const code = await obey(argv, process);
  // Of an interrupted run something may still be starting. It loses its folder now, and that is no failure of the command.
  if (code === EXIT.interrupted) process.on("uncaughtException", () => undefined);
  await leaveScratch();
  // Output to a pipe is asynchronous: what was printed has to be out before the process ends.
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

/** Does what one command line asks for. Says so to the given streams, and ends nothing but what it began. */
export async function obey(
  argv: readonly string[],
  { stdout, stderr }: Pick<Terminal, "stdout" | "stderr">,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.asExpected;
  const exit = (chosen: ExitCode) => {
    code = chosen;
  };
  try {
    const program = await createProgram({ stdout, stderr, argv, exit });
    verifyHelped(program, argv);
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    code = report(error, stderr);
  }
  return code;
}

/** With the one command that the arguments begin with; with all of them for help, and where there is none of that name. */
async function createProgram(terminal: Terminal): Promise<Command> {
  const program = new Command("recovery-kit")
    .description(
      "Finds out what happens when an agent's host disappears before it learns of a change it made.",
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: () => undefined,
    })
    .version(packageJson.version)
    .helpCommand("help [command]", "what a command does and takes")
    .showSuggestionAfterError();
  const [asked = ""] = terminal.argv;
  const isOne = Object.values(COMMANDS).some((commands) => Object.hasOwn(commands, asked));
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands))
      if (!isOne || name === asked) (await load())(program, terminal);
  }
  program.addHelpText(
    "after",
    [
      "",
      "Exit codes: 0 all valid and as expected · 1 some verdict differs from its expectation · 2 bad input ·",
      "3 some trial invalid or unknown · 4 the kit or the machine failed · 130 interrupted.",
    ].join("\n"),
  );
  return program;
}

/** Help asked of a command that does not exist would be the whole program's, and look like success. */
function verifyHelped(program: Command, [first, second]: readonly string[]): void {
  const asked = first === "help" ? second : ["--help", "-h"].includes(second ?? "") ? first : undefined;
  if (asked === undefined || asked.startsWith("-") || asked === "help") return;
  if (!program.commands.some((command) => command.name() === asked))
    throw new UserError(`unknown command '${asked}'; the commands: npm run kit -- --help`);
}

function report(error: unknown, stderr: Terminal["stderr"]): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.asExpected;
    // Without a command, commander has already printed the help.
    if (error.code !== "commander.help")
      stderr.write(
        `recovery-kit: ${printable(error.message.replace(/^error: /, "").replaceAll("\n", " "))}\n`,
      );
    return EXIT.badInput;
  }
  if (error instanceof UserError) {
    stderr.write(`recovery-kit: ${printable(error.message)}\n`);
    return EXIT.badInput;
  }
  if (error instanceof InvalidExperimentError) {
    stderr.write(`recovery-kit: ${printableLines(error.message)}\n`);
    return EXIT.badInput;
  }
  const missing = missingPackage(error);
  if (missing !== null) {
    stderr.write(`recovery-kit: a package of the kit is not installed (${missing}); run 'npm ci'\n`);
    return EXIT.badInput;
  }
  const refused = machineErrorOf(error);
  if (refused !== null) {
    stderr.write(`recovery-kit: ${printable(refused.message)}\n`);
    return EXIT.kitFailed;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  stderr.write(`recovery-kit failed; this is a bug of the kit.\n${printableLines(text)}\n`);
  return EXIT.kitFailed;
}

/** Node's own words for a package that a command needs and that is not there; null for another error. */
function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return null;
  const [words = ""] = error.message.split("\n");
  // A file of the kit itself that is missing is a bug and shows its stack.
  return words.startsWith("Cannot find package") ? words : null;
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableEnded || stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
