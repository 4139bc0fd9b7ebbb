/** Prepared environments: real git, the real sandbox, and a setup command that looks for what it must not have. */

import { afterAll, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { openRunSetup } from "#faces/cli/fleet/run-setup.ts"
import { type Environments, openEnvironments } from "#fleet/work/environments.ts"
import type { EnvironmentSettings } from "#ground/settings/settings.ts"
import { openProcesses } from "#ground/workspace/processes/process.ts"
import type { Checkout } from "#ground/workspace/source/checkout.ts"
import { openSources } from "#ground/workspace/source/sources.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { failureOf, valueOf } from "../../kit/team/conformance.ts"
import { lastingFolder } from "../../kit/tmp.ts"

// Not in /tmp, of which confined commands have one of their own: they would find nothing there anyway.
const folder = lastingFolder(process.getuid?.() === 0 ? "/opt" : homedir())
const home = join(folder, "home")
const state = join(home, ".codewright")
const secretFile = join(folder, "secret-file")
const source = join(folder, "source")
mkdirSync(state, { recursive: true })
mkdirSync(source)
writeFileSync(join(state, "settings.json"), JSON.stringify({ env: { OTHER: "a-word-in-the-settings" } }))
writeFileSync(secretFile, "a-word-in-a-file")

const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
  ANTHROPIC_API_KEY: "a-word-in-the-environment",
  GITHUB_TOKEN: "a-word-in-the-environment",
}
const scratch = join(folder, "scratch")
const processes = openProcesses({ clock: systemClock, ids: systemIds, scratch, graceMs: 500, drainMs: 100 })
afterAll(() => processes.close())
const sources = openSources({ processes, env: () => env, cache: join(folder, "mirrors"), clock: systemClock })

function sh(command: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["bash", "-ec", command], { cwd: source, env })
  if (exitCode !== 0) throw new Error(`${command}: ${stderr.toString()}`)
  return stdout.toString().trim()
}
sh(
  "git init -qb main && echo node_modules > .gitignore && echo 1 > package-lock.json && git add -A && git commit -qm base",
)

let clones = 0
async function clone(): Promise<Checkout> {
  const base = valueOf(await sources.resolve(source, undefined))
  const own = join(folder, `clone-${++clones}`)
  const checkout = { url: source, base, branch: "x", tree: join(own, "tree"), keeper: join(own, "keeper.git") }
  valueOf(await sources.make(checkout))
  return checkout
}

function environments(
  settings: Partial<EnvironmentSettings>,
  name = "cache",
): Environments & { readonly said: string[] } {
  const said: string[] = []
  const opened = openEnvironments({
    settings: [{ repository: folder, ...settings }],
    sources,
    cache: join(folder, name),
    clock: systemClock,
    run: openRunSetup({ env, processes, secretFiles: [secretFile], signal: new AbortController().signal }),
    report: (text) => void said.push(text),
  })
  return { ...opened, said }
}

const made = ({ tree }: Checkout, name: string): string => readFileSync(join(tree, "node_modules", name), "utf8")

const look = `mkdir node_modules; date +%N > node_modules/stamp; env > node_modules/env; (cat ${secretFile} ${state}/settings.json /proc/*/environ; ls -a ${folder}/mirrors) > node_modules/seen 2>&1; touch ${folder}/outside || true`

test("it is prepared once, in the sandbox and without secrets, and copied into each clone; other lock files are another one", async () => {
  const { prepare, said } = environments({ setup: look })
  const [first, second] = [await clone(), await clone()]
  // What one that was killed left is no obstacle.
  mkdirSync(join(folder, "cache"))
  await Promise.all([first, second].map(async (each) => valueOf(await prepare(each))))
  expect(said).toHaveLength(1)
  expect(made(first, "stamp")).toBe(made(second, "stamp"))
  const seen = `${made(first, "env")} ${made(first, "seen")}`
  expect(seen).toContain(`HOME=${home}`)
  expect(seen).not.toContain("a-word-in")
  expect(existsSync(join(folder, "outside"))).toBe(false)
  // Each has files of its own.
  writeFileSync(join(first.tree, "node_modules/stamp"), "changed")
  const third = await clone()
  valueOf(await prepare(third))
  expect(made(third, "stamp")).toBe(made(second, "stamp"))
  sh("echo 2 > package-lock.json && git commit -qam more")
  const other = await clone()
  valueOf(await prepare(other))
  expect(made(other, "stamp")).not.toBe(made(second, "stamp"))
  expect(said).toHaveLength(2)
}, 300_000)

test("a setup that fails says why, with the end of what it printed, and is not tried at once again", async () => {
  const { prepare, said } = environments({ setup: "echo one thing is missing >&2; exit 3" }, "failing")
  const checkout = await clone()
  const why = failureOf(await prepare(checkout))
  expect(why).toContain("The environment could not be prepared, so dependencies may be missing.")
  expect(why).toContain("it ended with code 3.\none thing is missing")
  expect(failureOf(await prepare(checkout))).toBe(why)
  expect(said.filter((each) => each.startsWith("Preparing"))).toHaveLength(1)
  const late = environments({ setup: "sleep 60", minutes: 0.001 }, "late")
  expect(failureOf(await late.prepare(checkout))).toContain("it took longer than")
}, 300_000)

test("the repository's own file counts only where the settings say so, and must say what to run", async () => {
  sh(
    `mkdir -p .codewright && echo '{"setup": "mkdir node_modules; echo own > node_modules/stamp"}' > .codewright/environment.json && git add -A && git commit -qm own`,
  )
  const [trusted, not] = [await clone(), await clone()]
  valueOf(await environments({}, "own").prepare(not))
  expect(existsSync(join(not.tree, "node_modules"))).toBe(false)
  valueOf(await environments({ fromRepository: true }, "own").prepare(trusted))
  expect(made(trusted, "stamp")).toBe("own\n")
  for (const [text, words] of [
    ["{}", 'needs "setup", a command.'],
    ["nonsense", 'needs "setup", a command.'],
    ['{"setup": "true", "files": "x"}', '"files" in .codewright/environment.json'],
  ] as const) {
    writeFileSync(join(trusted.tree, ".codewright/environment.json"), text)
    expect(failureOf(await environments({ fromRepository: true }, "own").prepare(trusted))).toContain(words)
  }
  const elsewhere = environments({ repository: "https://git.example/acme", setup: "false" }, "own")
  valueOf(await elsewhere.prepare(trusted))
  expect(elsewhere.said).toEqual([])
}, 300_000)

test("what was not used for long goes, and the oldest beyond a size", async () => {
  const cache = join(folder, "old")
  const names = ["a", "b", "c"].map((letter) => letter.repeat(64))
  for (const [nth, name] of names.entries()) {
    mkdirSync(join(cache, name, "files"), { recursive: true })
    writeFileSync(join(cache, name, "files/large"), "x".repeat(1000))
    const at = systemClock.now() / 1000 - 1000 + nth * 300
    utimesSync(join(cache, name), at, at)
  }
  const { tidy } = environments({}, "old")
  const left = (): readonly boolean[] => names.map((name) => existsSync(join(cache, name)))
  await tidy({ unusedMs: 800_000, mostBytes: 1_000_000 })
  expect(left()).toEqual([false, true, true])
  await tidy({ unusedMs: 800_000, mostBytes: 1_500 })
  expect(left()).toEqual([false, false, true])
})
