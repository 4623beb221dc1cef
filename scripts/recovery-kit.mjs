#!/usr/bin/env node
// The entry: turns away a Node that is too old before anything newer is parsed, then hands over to cli.ts.
import "./turn-away-old-node.mjs";
import nodeModule from "node:module";
import v8 from "node:v8";

// What loading takes once for new objects stays taken, and no command needs it (scripts/base/young-generation.ts).
v8.setFlagsFromString("--semi-space-growth-factor=1");
// Stripping types is most of the start; the cache, in the system's temporary folder, makes it a third.
nodeModule.enableCompileCache();
import("./cli.ts").then(
  ({ main }) => main(process.argv.slice(2)),
  (error) => {
    // A file of the kit itself that is missing is a bug and shows its stack.
    const missing = error?.code === "ERR_MODULE_NOT_FOUND" && error.message.startsWith("Cannot find package");
    process.stderr.write(
      missing
        ? `a package of the kit is not installed (${error.message.split("\n")[0]}); run 'npm ci'\n`
        : `${error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exitCode = missing ? 2 : 4;
  },
);
