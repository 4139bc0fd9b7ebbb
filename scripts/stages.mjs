/** What `npm test` and `npm run check` are made of: each stage a name and a command. */

import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { knobs } from "./knobs.mjs"
import { bun, root } from "./setup.mjs"

const tool = (path) => [process.execPath, join(root, "node_modules", path)]

/** Our own folders, those that exist. */
export const folders = () => ["src", "test", "scripts", "bench"].filter((folder) => existsSync(join(root, folder)))

export const format = () => ({ name: "format", argv: [bun, "fmt", "--no-script", "--check", ...folders()] })
export const lint = () => ({ name: "lint", argv: [...tool("oxlint/bin/oxlint"), "--deny-warnings", ...folders()] })
/** `bun check` reports what `tsc` reports, in a fifth of the time, so nothing else looks at types. */
export const types = () => ({ name: "types", argv: [bun, "check", "--no-script", "-p", root] })
/** The page of `serve`, which runs in browsers, and its tests are projects of their own: nothing else needs their packages. */
export const pageTypes = () =>
  ["src/faces/web/page", "test/faces/web"].map((project) => ({
    name: `types of ${project}`,
    argv: [bun, "check", "--no-script", "-p", join(root, project)],
  }))
export const unused = () => ({ name: "unused", argv: [...tool("knip/bin/knip.js"), "--no-progress"] })

/** A busy machine is no failure. */
const patience = "--timeout=300000"

/** How long each test file took when `npm test -- --times` was last run: the longest are begun first. */
const times = "test/times.json"

/**
 * One more than cores, because many tests wait for a process, a browser or a lease more than they compute. The files of
 * a worker share its modules: loading and compiling them for each file was a third of the work. What a file must not
 * leave to the next is checked by `test/kit/each-file.ts`, which a single worker loads only once.
 */
const workers = (more) => [`--parallel=${Math.max(2, availableParallelism() + more)}`, "--no-isolate"]

/** Test files, or all below a folder. */
export const tests = (paths) => ({ name: "tests", argv: [bun, "test", ...workers(1), patience, ...from(paths)] })

/** They wait for terminals, browsers and leases, and are unsteady where others keep them from the processor. */
const waiting = ["test/faces", "test/pty", "test/suite/background", "test/suite/fleet", "test/suite/team"]

/**
 * All tests there are, the longest first, as runs to be started side by side. What computes gives way to what waits, so
 * no core is idle and no terminal is late. Times are recorded in one run, for a quiet machine.
 */
export function everyTest({ record }) {
  const run = (name, more, paths, ...options) => {
    const argv = [bun, "test", ...workers(more), patience, `--timings=${times}`, ...options, ...from(paths)]
    return { name, argv }
  }
  if (record) return [run("tests", 1, ["test"], "--update-timings")]
  const computing = run(
    "tests that compute",
    1,
    ["test"],
    ...waiting.map((folder) => `--path-ignore-patterns=**/${folder}/**`),
  )
  return [run("tests that wait", 0, waiting), { ...computing, argv: ["nice", "-n", "10", ...computing.argv] }]
}

/** These files one after the other, with the machine for themselves and each in modules of its own. */
export const alone = (files) => ({ name: "alone", argv: [bun, "test", "--isolate", patience, ...from(files)] })

/** The walls, but for the one that needs types of everything. */
export const walls = () => ({
  name: "walls",
  argv: [bun, "test", "--isolate", patience, "--path-ignore-patterns=**/promises.test.ts", "./test/house"],
})

const from = (paths) => paths.map((path) => `./${path}`)

/** Gives an environment in which nothing of this machine's owner counts: an empty home, and no keys or settings of ours. */
export async function withCleanHome(use) {
  const home = mkdtempSync(join(tmpdir(), "codewright-home-"))
  const foreign = /^(ANTHROPIC|CLAUDE|CODEWRIGHT|GEMINI|GOOGLE|OPENAI|OTEL|XDG)_/
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name) || name in knobs)
  try {
    // Compiling to the fastest form, of an embedded database and of our own code, costs more than tests get back from it.
    return await use({ ...Object.fromEntries(kept), BUN_JSC_useOMGJIT: "0", BUN_JSC_useFTLJIT: "0", HOME: home })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
