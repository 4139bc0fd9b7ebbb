/** What `npm test` and `npm run check` are made of: each stage a name and a command. */

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { bun, root } from "./setup.mjs"

const tool = (path) => [process.execPath, join(root, "node_modules", path)]

/** Our own folders, those that exist. */
export const folders = () => ["src", "test", "scripts", "bench"].filter((folder) => existsSync(join(root, folder)))

export const format = () => ({ name: "format", argv: [bun, "fmt", "--no-script", "--check", ...folders()] })
export const lint = () => ({ name: "lint", argv: [...tool("oxlint/bin/oxlint"), "--deny-warnings", ...folders()] })
export const types = () => ({ name: "types", argv: [bun, "check", "--no-script", "-p", root] })
/** The page of `serve`, which runs in browsers, and its tests are projects of their own: nothing else needs their packages. */
export const pageTypes = () =>
  ["src/faces/web/page", "test/faces/web"].map((project) => ({
    name: `types of ${project}`,
    argv: [...tool("typescript/bin/tsc"), "-p", join(root, project)],
  }))
export const tsc = () => ({ name: "tsc", argv: [...tool("typescript/bin/tsc"), "-p", root] })
export const unused = () => ({ name: "unused", argv: [...tool("knip/bin/knip.js"), "--no-progress"] })

/** A busy machine is no failure. */
const patience = "--timeout=300000"

/** A group of tests: every test file below a path, each in a world of its own. */
export const tests = (path) => ({ name: path, argv: [bun, "test", pace(path), patience, `./${path}`] })

/** These files one after the other, with the machine for themselves. */
export const alone = (files) => ({
  name: "alone",
  argv: [bun, "test", "--isolate", patience, ...files.map((file) => `./${file}`)],
})

/** Real terminals and browsers get the machine for themselves. Everything else shares the cores: with more at once than there are, tests that wait for a moment miss it. */
function pace(path) {
  return /^test\/(faces|pty)\b/.test(path) ? "--isolate" : `--parallel=${availableParallelism()}`
}

/** What of test/suite is quick enough for before every commit; whole programs, kills and fuzzing are for `npm test`. */
export const quickSuites = ["test/suite/tools"]

/** Whether a folder of tests has any. */
export function hasTests(path) {
  const folder = join(root, path)
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => /\.test\.tsx?$/.test(name))
}

/** What tells the tests how thorough to be; the program itself reads none of these. */
const ours = [
  "CODEWRIGHT_NO_SKIP",
  "CODEWRIGHT_CLAIM_RACES",
  "CODEWRIGHT_FLEET_KILL_MS",
  "CODEWRIGHT_FLEET_SESSIONS",
  "CODEWRIGHT_FLEET_WORKERS",
  "CODEWRIGHT_GRAPH_RUNS",
  "CODEWRIGHT_KILLS",
  "CODEWRIGHT_LONG",
  "CODEWRIGHT_MUTATIONS",
  "CODEWRIGHT_ORDER_RUNS",
  "CODEWRIGHT_TRIALS",
  "CODEWRIGHT_UNDO_RUNS",
]

/** Gives an environment in which nothing of this machine's owner counts: an empty home, and no keys or settings of ours. */
export async function withCleanHome(use) {
  const home = mkdtempSync(join(tmpdir(), "codewright-home-"))
  const foreign = /^(ANTHROPIC|CLAUDE|CODEWRIGHT|GEMINI|GOOGLE|OPENAI|OTEL|XDG)_/
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name) || ours.includes(name))
  try {
    return await use({ ...Object.fromEntries(kept), HOME: home })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
