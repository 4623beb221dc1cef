/**
 * Import direction (docs/structure.md): imports point towards `src/trace`, the pure core imports no runtime, siblings
 * do not import each other unless one of them composes the other. The scripts are floors: each stands on those below
 * it, and nobody imports a test.
 */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from, pathNot: "\\.test\\.ts$|/testing/" },
  to: { path: "^(src|scripts|experiments|ledger-worker|tests)/", pathNot: allowed },
});

/** What is true of the harnesses, without what drives them. */
const HARNESS_TRAITS =
  "^src/harnesses/((index|subject-traits|lifecycle-jobs|session-claims|own/agent-layout)\\.ts$|.*-traits\\.ts$)";

/** What any floor of the scripts may import beside floors. `node-version` stands apart: an old Node has to read it. */
const BESIDE_FLOORS = "^(src|experiments)/|^scripts/node-version\\.mjs$";

/** Of `scripts/`, the lowest first. `cli.ts` composes the commands and stands above all. */
const FLOORS = [
  "base",
  "stored",
  "local",
  "run",
  "deploy",
  "present",
  "inspect",
  "report",
  "export",
  "checks",
  "commands",
];

const floor = (name, index) =>
  only(
    `scripts-${name}-stands-on-lower-floors`,
    `^scripts/${name}/`,
    `${BESIDE_FLOORS}|^scripts/(${FLOORS.slice(0, index + 1).join("|")})/`,
    "A floor knows nothing of those above it.",
  );

/** Inside `scripts/local/`, where `local-runtime.ts` composes what the folders offer. */
const localPart = (name, siblings) =>
  only(
    `scripts-local-${name}-imports`,
    `^scripts/local/${name}/`,
    `${BESIDE_FLOORS}|^scripts/(base|stored|local/(${[name, ...siblings].join("|")}))/`,
    "The local runtime composes its parts.",
  );

export default {
  forbidden: [
    {
      name: "no-cycles",
      comment: "A cycle means that two modules are one.",
      severity: "error",
      from: {},
      to: { circular: true, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "pure-core-has-no-runtime",
      comment:
        "trace, reconcile, inspect, summarize, story, report and the harnesses' traits run anywhere: no Node, no Workers.",
      severity: "error",
      from: {
        path: `^src/(trace|reconcile|inspect|summarize|story|report)/|${HARNESS_TRAITS}`,
        pathNot: "\\.test\\.ts$|/testing/",
      },
      to: { path: "^(node:|cloudflare:)|^(fs|path|crypto|os|stream|util|child_process)$" },
    },
    only("trace-imports-nothing", "^src/trace/", "^src/trace/", "The vocabulary knows nobody."),
    only("link-imports-trace", "^src/link/", "^src/(link|trace)/", "Typed calls know the vocabulary only."),
    only(
      "inspect-imports-trace",
      "^src/inspect/",
      "^src/(inspect|trace)/",
      "Foreign data in, observations out.",
    ),
    only(
      "reconcile-imports-trace",
      "^src/reconcile/",
      "^src/(reconcile|trace)/",
      "A verdict needs the trace only.",
    ),
    only(
      "summarize-imports-verdicts",
      "^src/summarize/",
      "^src/(summarize|trace)/|^src/reconcile/(verdict\\.ts|axes/)|^src/inspect/schema-(diff|words)\\.ts$",
      "Counts come from verdicts alone, and each axis says what is counted of it; an upgrade compares schemas as well.",
    ),
    only(
      "story-imports-verdicts",
      "^src/story/",
      "^src/(story|trace|reconcile)/",
      "A story tells what trace and verdict say.",
    ),
    only(
      "report-page-imports",
      "^src/report/",
      "^src/(report|trace)/",
      "A page shows what it is given, and computes nothing of it.",
    ),
    {
      name: "the-page-runs-in-a-browser",
      comment: "It is bundled into a report as a whole; nothing that runs elsewhere imports it.",
      severity: "error",
      from: { path: "^(src|scripts|experiments)/", pathNot: "^src/report/page/" },
      to: { path: "^src/report/page/" },
    },
    only("model-imports-trace", "^src/model/", "^src/(model|trace)/", "The model knows no harness."),
    only(
      "plugin-imports",
      "^src/plugin/",
      "^src/(plugin|link|trace|host/types)/|^src/host/stand-in/define-plugin\\.ts$",
      "Tools know the ledger only.",
    ),
    only(
      "host-imports",
      "^src/host/",
      "^src/(host|trace)/",
      "A host knows nothing of the kit but the vocabulary.",
    ),
    only(
      "harness-traits-import",
      HARNESS_TRAITS,
      `${HARNESS_TRAITS}|^src/(inspect|trace)/`,
      "What a harness is can be asked anywhere; what drives it runs in workerd.",
    ),
    only(
      "harnesses-import",
      "^src/harnesses/",
      "^src/(harnesses|subject|host|plugin|link|trace|inspect)/",
      "The thing under test knows no experiment.",
    ),
    only(
      "subject-imports",
      "^src/subject/",
      "^src/(subject|harnesses|host|inspect|link|plugin|trace)/",
      "What is laid over a harness knows no experiment.",
    ),
    only(
      "own-imports",
      "^src/own/",
      "^src/(own|subject|gate|model|link|trace)/|^src/reconcile/invariants\\.ts$",
      "What is laid over a user's own Worker is laid over by the same means as over a harness.",
    ),
    only(
      "gate-imports",
      "^src/gate/",
      "^src/(gate|model|link|trace)/",
      "The gate knows the ledger and the model's protocols, and no subject.",
    ),
    only(
      "controller-imports",
      "^src/controller/",
      `${HARNESS_TRAITS}|^src/(controller|model|inspect|link|trace)/`,
      "The controller judges nothing.",
    ),
    only(
      "ledger-imports-trace",
      "^ledger-worker/src/",
      "^(ledger-worker/src|src/trace)/|^src/link/admission\\.ts$",
      "The ledger depends on nobody it observes; only the admission check is everybody's.",
    ),
    only(
      "experiments-are-values",
      "^experiments/",
      `${HARNESS_TRAITS}|^(experiments|src/trace)/|^src/reconcile/expectation\\.ts$`,
      "Experiments are declared, not programmed.",
    ),
    ...FLOORS.map(floor),
    only(
      "scripts-package-imports",
      "^scripts/package/",
      "^scripts/(base|package)/",
      "What makes the package reads the sources as files.",
    ),
    localPart("process", []),
    localPart("files", ["process"]),
    localPart("workerd", ["process"]),
    localPart("own", ["workerd"]),
    localPart("server", ["process", "files"]),
    localPart("mcp", []),
    localPart("container", ["process", "server", "mcp"]),
    localPart("command", ["process", "server", "mcp"]),
    {
      name: "nothing-imports-tests",
      comment: "What a test needs lies beside it or in tests/support; what the kit needs is no test.",
      severity: "error",
      from: { pathNot: "^(ledger-worker/)?tests/" },
      to: { path: "^(ledger-worker/)?tests/" },
    },
    {
      name: "nothing-imports-a-test-file",
      comment: "A test file is run, not imported.",
      severity: "error",
      from: {},
      to: { path: "\\.test\\.ts$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.d\\.ts$" },
    // swc sees imports of types too. tsPreCompilationDeps would ask for a TypeScript below 7 and find nothing more.
    parser: "swc",
    enhancedResolveOptions: {
      extensions: [".ts", ".mjs", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "default"],
    },
  },
};
