/** `deploy up|run|restart|status|stop|down`: trials on deployed Workers, or on a rehearsal of them. Leaves the work to scripts/deploy. */
import { Argument, type Command, Option } from "commander";
import { DEFAULT_EXPERIMENT, experimentNames } from "../../experiments/registry.ts";
import { ModelId, RunId } from "../../src/trace/ids.ts";
import { DEFERRED_S_MAX } from "../../src/trace/spec.ts";
import { UserError } from "../base/user-error.ts";
import { type DeployState, readSecret, readState, requireReady, withLock } from "../deploy/deploy-state.ts";
import {
  DEFAULT_PREFIX,
  type Deployment,
  deploymentOf,
  knownPrefixes,
  Prefix,
  removeEmptyParents,
} from "../deploy/deployment.ts";
import type { Platform } from "../deploy/platform.ts";
import { chooseHost, HostOption } from "../local/workerd/host-choice.ts";
import { EXIT } from "../stored/outcome.ts";
import { type DeployRunOptions, runDeployed } from "./deploy-run.ts";
import { parsedBy, requireOption, several, tracesOption, wholeNumber } from "./options.ts";
import { reporterOption } from "./reporters.ts";
import { exitOnStop } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";

const CAPS = { trials: 100, minutes: 60 };

type Named = { readonly prefix: Prefix };
type UpOptions = Named & {
  readonly rehearse?: true;
  readonly aiBinding?: true;
  readonly host: HostOption;
  readonly maxTrials: number;
  readonly maxMinutes: number;
};

export function registerDeploy(program: Command, terminal: Terminal): void {
  const deploy = program
    .command("deploy")
    .description("run trials on deployed Workers, or rehearse that on this machine (docs/deployed.md)");
  deploy
    .command("up")
    .description("deploy the three Workers under a prefix, or once more with another secret")
    .addOption(prefixOption())
    .option("--rehearse", "as processes of this machine, without an account")
    .option("--ai-binding", "give the controller the AI binding, so that 'run --model' can ask real models")
    .addOption(
      new Option("--host <host>", "OpenCode host; auto takes the SDK when it is installed")
        .choices(HostOption.options)
        .default("auto"),
    )
    .option("--max-trials <n>", "most trials until the next 'up'", wholeNumber(1, 10_000), CAPS.trials)
    .option(
      "--max-minutes <n>",
      "most minutes of trials until the next 'up'",
      wholeNumber(1, 1_440),
      CAPS.minutes,
    )
    .action((options: UpOptions) => up(options, terminal));
  deploy
    .command("run")
    .description("carry out an experiment on the deployment, store its traces and judge them")
    .addArgument(
      new Argument("[experiment]", `which experiment (default: "${DEFAULT_EXPERIMENT}")`).choices(
        experimentNames(),
      ),
    )
    .addOption(prefixOption())
    .option("--repeats <n>", "trials of each condition; canaries once", wholeNumber(1, 1_000), 1)
    .option(
      "--quiet-ms <ms>",
      "how long nothing touches the object after a reset",
      wholeNumber(0, 86_400_000),
    )
    .option("--allow-short-quiet", "take a shorter one, which cannot show whether the object wakes by itself")
    .option("--settle-ms <ms>", "how long effects are counted after all settled", wholeNumber(0, 86_400_000))
    .option("--seed <n>", "repeats the order and the delays of an earlier run", wholeNumber(0, 2 ** 31 - 1))
    .option("--concurrency <n>", "most trials at once", wholeNumber(1, 1_000), 1_000)
    .option("--run-id <id>", "name of the run and of its folder", parsedBy(RunId))
    .option("--only <factor=level,…>", "keep the conditions that have these levels (canaries stay)")
    .option("--subject <name>", "keep these subjects; may be given several times", several)
    .addOption(
      new Option("--condition <name>", "keep this condition alone; may be given several times")
        .argParser(several)
        .conflicts(["only", "subject", "quick"]),
    )
    .option("--quick", "a smoke run: a few conditions that touch everything once, and the canaries")
    .option("--model <id>", "a real model of the AI binding instead of the scripted one", parsedBy(ModelId))
    .addOption(requireOption())
    .addOption(reporterOption())
    .addOption(tracesOption())
    .option("--dry-run", "print what would be done and start nothing")
    .option("--json", "print one JSON object instead of the table")
    .action((name: string | undefined, options: DeployRunOptions) =>
      runDeployed(name ?? DEFAULT_EXPERIMENT, options, terminal),
    );
  deploy
    .command("restart")
    .description("deploy the subject again as a new version: the restart that the platform knows")
    .addOption(prefixOption())
    .option(
      "--deferred-s <s>",
      "let active objects keep their old code for so long, at most, instead of updating them at once",
      wholeNumber(1, DEFERRED_S_MAX),
    )
    .action((options: Named & { deferredS?: number }) => restart(options, terminal));
  deploy
    .command("status")
    .description("what is deployed, what was spent, whether it answers")
    .addOption(prefixOption())
    .option("--json", "print one JSON object")
    .action((options: Named & { json?: true }) => status(options, terminal));
  deploy
    .command("stop")
    .description("the kill switch: end every trial's Workflow, alarms and jobs; the Workers stay")
    .addOption(prefixOption())
    .action((options: Named) => stop(options, terminal));
  deploy
    .command("down")
    .description("remove the Workers with all that they stored, from the state or from the prefix alone")
    .addOption(prefixOption())
    .option("--on-network", "look on the network too, where nothing here says what the deployment was")
    .action((options: Named & { onNetwork?: true }) => down(options, terminal));
}

function prefixOption(): Option {
  return new Option("--prefix <prefix>", "begins the names of all that belongs to the deployment")
    .argParser(parsedBy(Prefix))
    .default(DEFAULT_PREFIX);
}

async function up(options: UpOptions, terminal: Terminal): Promise<void> {
  exitOnStop();
  const deployment = deploymentOf(options.prefix);
  const { platformOf } = await import("../deploy/platforms.ts");
  const { bringUp } = await import("../deploy/up.ts");
  const kind = options.rehearse === true ? "rehearsal" : "network";
  const hasModels = options.aiBinding === true;
  if (hasModels && kind === "rehearsal")
    throw new UserError(
      "--ai-binding: a rehearsal reaches no real model; leave it out, or leave out --rehearse",
    );
  const state = await withLock(deployment, () =>
    bringUp(deployment, {
      kind,
      host: chooseHost(options.host),
      caps: { trials: options.maxTrials, minutes: options.maxMinutes },
      hasModels,
      platform: (parts) => platformOf(kind, deployment, parts),
      onStep: (text) => terminal.stderr.write(`${text}\n`),
    }),
  );
  terminal.stdout.write(
    `${statusText(state)}\nNext: npm run deploy -- run recovery${flag(options.prefix)}\n`,
  );
}

async function restart({ prefix, deferredS }: Named & { deferredS?: number }, terminal: Terminal) {
  exitOnStop();
  const deployment = deploymentOf(prefix);
  const { platform } = await readyPlatform(deployment);
  const { redeploySubject } = await import("../deploy/up.ts");
  const update =
    deferredS === undefined
      ? ({ mode: "immediate" } as const)
      : ({ mode: "deferred", maxS: deferredS } as const);
  const { mechanism } = await withLock(deployment, () => redeploySubject(deployment, platform, update));
  terminal.stdout.write(`The subject was deployed again: ${mechanism}.\n`);
}

async function status({ prefix, json }: Named & { json?: true }, terminal: Terminal): Promise<void> {
  const deployment = deploymentOf(prefix);
  const state = readState(deployment);
  if (state === null) {
    const others = knownPrefixes().filter((known) => known !== prefix);
    const text = others.length === 0 ? "" : ` Others that something lies of here: ${others.join(", ")}.`;
    terminal.stdout.write(
      json
        ? `${JSON.stringify({ prefix, state: null, others })}\n`
        : `Nothing is known of '${prefix}'.${text}\n`,
    );
    return;
  }
  const { healthOf } = await import("../deploy/health.ts");
  const health = await healthOf(state, readSecret(deployment));
  const { pulledAt } = await import("../deploy/kill-switch.ts");
  const stopped = pulledAt(deployment);
  terminal.stdout.write(
    json === true
      ? `${JSON.stringify({ prefix, state, health, stopped })}\n`
      : `${statusText(state)}\nController: ${health}\n${stopped === null ? "" : `Stopped by the kill switch (${stopped}): it begins no trial until it is brought up again.\n`}`,
  );
}

async function stop({ prefix }: Named, terminal: Terminal): Promise<void> {
  const deployment = deploymentOf(prefix);
  const { secret } = requireReady(deployment);
  const [{ pullSwitch }, { stopEverything }] = await Promise.all([
    import("../deploy/kill-switch.ts"),
    import("../deploy/stop-everything.ts"),
  ]);
  pullSwitch(deployment);
  const { underWay, ended, notBegun, failed, owner } = await stopEverything(deployment, secret);
  terminal.stdout.write(
    `Stopped. Trials that this ended: ${underWay.length}, that had ended: ${ended.length}, that had not begun: ${notBegun.length}. ` +
      `Deployment '${prefix}' begins no trial until it is brought up again.\n`,
  );
  for (const { trial, error } of failed) terminal.stderr.write(`${trial}: ${error}\n`);
  if (owner !== null) terminal.stderr.write(`Process ${owner} still works at the deployment: end it.\n`);
  terminal.exit(failed.length === 0 && owner === null ? EXIT.asExpected : EXIT.kitFailed);
}

/** Unlike the others it asks for no state: what cannot be read is removed all the same. */
async function down({ prefix, onNetwork }: Named & { onNetwork?: true }, terminal: Terminal) {
  const deployment = deploymentOf(prefix);
  const { platformOf } = await import("../deploy/platforms.ts");
  const { takeDown } = await import("../deploy/down.ts");
  const taken = await withLock(deployment, () => {
    const kind = kindOf(deployment);
    const parts = { ports: null, secret: "" };
    // Processes of this machine cost nothing to look for.
    const platforms = [platformOf("rehearsal", deployment, parts)];
    if (onNetwork === true || kind === "network") platforms.push(platformOf("network", deployment, parts));
    return takeDown(deployment, platforms);
  });
  removeEmptyParents();
  const what = taken.removed.length === 0 ? "No Worker was there" : `Removed ${taken.removed.join(", ")}`;
  terminal.stdout.write(`${what}; ${taken.folder ? "its folder is gone" : "there was no folder"}.\n`);
}

/** Null where the state is gone or cannot be read. */
function kindOf(deployment: Deployment): DeployState["kind"] | null {
  try {
    return readState(deployment)?.kind ?? null;
  } catch {
    return null;
  }
}

async function readyPlatform(deployment: Deployment): Promise<{ platform: Platform; state: DeployState }> {
  const { state, secret } = requireReady(deployment);
  const { platformOf } = await import("../deploy/platforms.ts");
  return { platform: platformOf(state.kind, deployment, { ports: state.ports, secret }), state };
}

function statusText(state: DeployState): string {
  const { prefix, kind, stage, workers, caps, spent, controllerUrl, host, runs } = state;
  const where = kind === "rehearsal" ? "rehearsal on this machine" : "on the network";
  const versions = Object.values(workers).map(({ name, version }) =>
    version === null ? name : `${name} (version ${version})`,
  );
  return [
    `Deployment ${prefix}: ${where} · ${stage}`,
    `Workers: ${versions.length === 0 ? "none" : versions.join(", ")}`,
    `Controller at ${controllerUrl ?? "no address yet"} · host ${host.kind} (${host.name} ${host.version})`,
    `Spent: ${spent.trials} of ${caps.trials} trials, ${spent.minutes.toFixed(1)} of ${caps.minutes} minutes · runs: ${
      runs.length === 0 ? "none" : runs.map(({ run }) => run).join(", ")
    }`,
  ].join("\n");
}

function flag(prefix: Prefix): string {
  return prefix === DEFAULT_PREFIX ? "" : ` --prefix ${prefix}`;
}
