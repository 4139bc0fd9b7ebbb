/** Makes a fresh clone ready: installs the pinned packages when they are missing or stale, and sees that Bun starts. Plain Node. */

import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const root = resolve(fileURLToPath(import.meta.url), "../..")

/** The pinned Bun. */
export const bun = join(root, "node_modules/bun/bin/bun.exe")

/** Installs what is missing and ends the process with a sentence when that fails. Costs a few milliseconds when all is there. */
export function setUp() {
  if (!isInstalled()) install()
  // An installation that refused install scripts leaves a placeholder; the package can still finish itself.
  if (!starts())
    spawnSync(process.execPath, [join(root, "node_modules/bun/install.js")], { cwd: root, stdio: "ignore" })
  if (!starts())
    giveUp(`Bun does not start: ${bun}`, "Delete node_modules and try again. Bun needs Linux or macOS on x64 or arm64.")
}

/** For quick tools that need Bun and nothing else: sets up only when Bun is missing, so that a lock file in flux disturbs nobody. */
export function setUpBun() {
  if (!starts()) setUp()
}

/** Whether node_modules holds exactly what package-lock.json asks for. Times of files say little after a checkout, so contents are compared. */
function isInstalled() {
  const wanted = packages("package-lock.json")
  const present = packages("node_modules/.package-lock.json")
  if (!wanted || !present) return false
  return Object.entries(wanted).every(([path, { version, integrity, optional, link }]) => {
    const there = present[path]
    if (path === "" || link) return true
    // Binaries for other platforms are optional and rightly absent.
    return there ? there.version === version && there.integrity === integrity : optional === true
  })
}

function packages(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), "utf8")).packages
  } catch {
    return undefined
  }
}

function install() {
  process.stderr.write("Installing packages (once, about half a minute)...\n")
  const npm = process.env.npm_execpath
  const [command, ...first] = npm && basename(npm) === "npm-cli.js" ? [process.execPath, npm] : ["npm"]
  // Bun and the checkers are development packages, so they are asked for even where NODE_ENV says production.
  const args = [...first, "ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status === 0) return
  const said = error ? error.message : withoutStacks(`${stdout}${stderr}`)
  giveUp(
    `Installing the packages failed (npm ci, exit code ${status ?? "none"}).`,
    "It needs the npm registry once: check the network or the `registry` setting of npm, then run this again.",
    said === "" ? "" : `npm said:\n${said}`,
  )
}

function withoutStacks(text) {
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^npm error\s+(at |[}\w]+:? ?'?.*,$|})/.test(line))
  return lines.slice(0, 12).join("\n")
}

function starts() {
  return spawnSync(bun, ["--version"], { cwd: root, stdio: "ignore" }).status === 0
}

function giveUp(...sentences) {
  process.stderr.write(`${sentences.filter(Boolean).join("\n")}\n`)
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setUp()
