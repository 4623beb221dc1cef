// Plain JavaScript of an old kind, because it has to run on the Node that it turns away, and before `npm ci`: no zod yet.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const START_TIMEOUT_MS = 20000;

/** npm leaves the binary out where it is told to omit what is optional. */
const INSTALL = "run 'npm ci --include=optional'";
/** npm 10 removes the link together with those of the other platforms' packages, which have the same name. */
const LINK = "run 'npm rebuild --ignore-scripts'";

/** Whether a Node can run the kit. @param {string} version as `24.1.0` */
export function canRunKit(version) {
  const parts = String(version).split(".").map(Number);
  const major = parts[0];
  const minor = parts[1];
  // Running TypeScript without a flag came with 22.18, and on the odd line with 23.6.
  return major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

/**
 * The Node that the checkout pins for a platform, and what of it is installed; null where it pins none. Starts the binary
 * to see its version.
 * @param {string} root the checkout @param {string} platform as process.platform @param {string} arch as process.arch
 */
export function pinnedNode(root, platform, arch) {
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}`;
  const pins = readJson(path.join(root, "package.json")).optionalDependencies || {};
  if (pins[name] === undefined) return null;
  const pinned = { name: name, version: pins[name], path: null, trouble: null, mend: INSTALL };
  let manifest;
  try {
    // As Node looks for a package: npm may have put it into a folder above.
    manifest = createRequire(path.join(root, "package.json")).resolve(`${name}/package.json`);
  } catch {
    pinned.trouble = `${name} is not installed`;
    return pinned;
  }
  const place = path.dirname(manifest);
  try {
    pinned.path = path.join(place, readJson(manifest).bin.node);
  } catch {
    pinned.trouble = `${manifest} does not say where its binary is`;
    return pinned;
  }
  if (!fs.existsSync(pinned.path)) pinned.trouble = `${pinned.path} is missing`;
  else pinned.trouble = troubleStarting(pinned.path, pinned.version);
  const link = path.join(path.dirname(place), ".bin", platform === "win32" ? "node.cmd" : "node");
  if (pinned.trouble === null && !leadsTo(link, pinned.path, platform)) {
    pinned.trouble = `${link} does not lead to it`;
    pinned.mend = LINK;
  }
  return pinned;
}

/** What npm writes on Windows is a script, of which only the existence can be told. */
function leadsTo(link, binary, platform) {
  if (!fs.existsSync(link)) return false;
  return platform === "win32" || fs.realpathSync(link) === fs.realpathSync(binary);
}

function troubleStarting(binary, wanted) {
  const ended = spawnSync(binary, ["-p", "process.versions.node"], {
    encoding: "utf8",
    timeout: START_TIMEOUT_MS,
    // Options of a caller's Node may be unknown to this one.
    env: Object.assign({}, process.env, { NODE_OPTIONS: "" }),
  });
  if (ended.error) return `${binary} does not start (${ended.error.code || ended.error.message})`;
  if (ended.status !== 0) return `${binary} does not start (${ended.signal || `exit code ${ended.status}`})`;
  const found = ended.stdout.trim();
  return found === wanted ? null : `${binary} is not Node ${wanted} but says '${found}'`;
}

/**
 * What to say to a Node that cannot run the kit, or null when it can.
 * @param {string} version as `24.1.0` @param {() => ReturnType<typeof pinnedNode>} findPinned asked only when it is needed
 */
export function complainAboutNode(version, findPinned) {
  if (canRunKit(version)) return null;
  const pinned = findPinned();
  return `recovery-kit needs Node 22.18 or newer and this is ${version}; ${wayOut(pinned)}`;
}

function wayOut(pinned) {
  if (pinned === null) return "put Node 24 on the PATH, since none is pinned for this platform";
  if (pinned.trouble !== null) return `${pinned.mend} to have Node ${pinned.version} (${pinned.trouble})`;
  return `use 'npm run kit -- <command>', which runs on the installed Node ${pinned.version}`;
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}
