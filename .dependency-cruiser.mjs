/**
 * Import direction (docs/structure.md): imports point towards `src/trace`, the pure core imports no runtime, siblings
 * do not import each other unless one of them composes the other.
 */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from, pathNot: "\\.test\\.ts$|/testing/" },
  to: { path: "^(src|scripts|experiments|ledger-worker|tests)/", pathNot: allowed },
});

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
      comment: "trace, reconcile, inspect and summarize run anywhere: no Node, no Workers.",
      severity: "error",
      from: { path: "^src/(trace|reconcile|inspect|summarize)/", pathNot: "\\.test\\.ts$|/testing/" },
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
      "^src/(summarize|trace)/|^src/reconcile/(verdict\\.ts|axes/)",
      "Counts come from verdicts alone, and each axis says what is counted of it.",
    ),
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
      "subject-imports",
      "^src/subject/",
      "^src/(subject|host|plugin|inspect|link|trace)/",
      "The thing under test knows no experiment.",
    ),
    only(
      "controller-imports",
      "^src/controller/",
      "^src/(controller|model|inspect|link|trace)/",
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
      "^(experiments|src/trace)/|^src/reconcile/expectation\\.ts$",
      "Experiments are declared, not programmed.",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.d\\.ts$" },
    tsPreCompilationDeps: true,
    parser: "swc",
    enhancedResolveOptions: {
      extensions: [".ts", ".mjs", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "default"],
    },
  },
};
