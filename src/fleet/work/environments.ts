/**
 * Prepared environments: what a repository's setup command makes that git ignores (dependencies, builds) is made once, kept on this machine, and
 * copied into each clone that wants the same. See decision 166.
 */

import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { copyFolder } from "#ground/workspace/copy-folder.ts"
import { realPath } from "#ground/workspace/paths.ts"
import { whileLocked } from "#ground/workspace/source/mirror-lock.ts"
import type { Checkout } from "#ground/workspace/source/checkout.ts"
import type { Sources } from "#ground/workspace/source/sources.ts"
import type { Clock } from "#lib/clock.ts"
import { objectIn } from "#lib/json.ts"
import { liesIn } from "#lib/lies-in.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { EnvironmentSettings } from "#ground/settings/settings.ts"
import { isAddressBelow } from "#fleet/workspaces.ts"

export interface Setup {
  readonly command: string
  readonly cwd: string
  readonly hosts: readonly string[]
  readonly timeoutMs: number
}

/** Runs it in the sandbox, with no secrets. The failure is a sentence, with the end of what it printed. */
export type RunSetup = (setup: Setup) => Promise<Result<void, string>>

export interface Environments {
  /** Puts what is prepared into a new clone, and prepares it first if nobody has. The failure is for whoever works in it. */
  readonly prepare: (checkout: Checkout) => Promise<Result<void, string>>
  /** Removes those that were not used for long, and the oldest beyond a size. */
  readonly tidy: (limits: { readonly unusedMs: number; readonly mostBytes: number }) => Promise<void>
}

export interface EnvironmentParts {
  readonly settings: readonly EnvironmentSettings[]
  readonly sources: Pick<Sources, "make" | "ignored">
  readonly cache: string
  readonly clock: Clock
  readonly run: RunSetup
  readonly report: (text: string) => void
}

/** The repository's own file, if the settings let it say what to run. */
const ownFile = ".codewright/environment.json"

/** What package managers write down. */
const usualFiles: readonly string[] = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "bun.lock",
  "yarn.lock",
  "pnpm-lock.yaml",
  "requirements.txt",
  "poetry.lock",
  "uv.lock",
  "Cargo.lock",
  "go.sum",
  "Gemfile.lock",
  "composer.lock",
]

const usualMinutes = 15
const copyLimits = { files: 2_000_000, bytes: 50_000_000_000 }
/** A setup that failed is not tried for every session that begins. */
const failedMs = 5 * 60_000

export function openEnvironments(parts: EnvironmentParts): Environments {
  const { settings, sources, cache, clock, report } = parts
  const failures = new Map<string, { readonly at: number; readonly why: string }>()

  async function make(place: string, checkout: Checkout, setup: Omit<Setup, "cwd">): Promise<Result<void, string>> {
    const making = `${place}.making`
    await rm(making, { recursive: true, force: true })
    const [tree, keeper] = [join(making, "tree"), join(making, "keeper.git")]
    const fresh: Checkout = { ...checkout, branch: "codewright/environment", tree, keeper }
    report(`Preparing an environment for ${checkout.url}: ${setup.command}`)
    try {
      const cloned = await sources.make(fresh)
      if (!cloned.ok) return cloned
      const ran = await parts.run({ ...setup, cwd: tree })
      if (!ran.ok) return ran
      const made = await sources.ignored(fresh)
      if (!made.ok) return made
      const paths = made.value.map((path) => path.replace(/\/$/, "")).filter((path) => path !== "" && path !== ".git")
      for (const path of paths) {
        await mkdir(dirname(join(making, "files", path)), { recursive: true, mode: 0o700 })
        await rename(join(tree, path), join(making, "files", path))
      }
      await writeFile(join(making, "paths.json"), JSON.stringify({ paths }), { mode: 0o600 })
      for (const done of [tree, keeper]) await rm(done, { recursive: true, force: true })
      await rename(making, place)
      return ok(undefined)
    } finally {
      await rm(making, { recursive: true, force: true })
    }
  }

  async function prepare(checkout: Checkout): Promise<Result<void, string>> {
    const found = settings.find(({ repository }) => isAddressBelow(checkout.url, repository))
    const wish = found && wishOf(found, checkout.tree)
    if (!found || !wish) return ok(undefined)
    if (!wish.ok) return failed(`${notPrepared} ${wish.failure}`)
    const { command, files } = wish.value
    const digest = digestOf(checkout, command, files, found.image)
    const place = join(cache, digest)
    const before = failures.get(digest)
    if (before && clock.now() - before.at < failedMs) return failed(before.why)
    await mkdir(cache, { recursive: true, mode: 0o700 })
    const done = await whileLocked(place, clock, async () => {
      const copied = await copyInto(place, checkout.tree, clock)
      if (copied) return copied
      const timeoutMs = (found.minutes ?? usualMinutes) * 60_000
      const made = await make(place, checkout, { command, hosts: found.hosts ?? [], timeoutMs })
      return made.ok ? ((await copyInto(place, checkout.tree, clock)) ?? ok(undefined)) : made
    })
    if (done.ok) return done
    const why = `${notPrepared} The setup command \`${command}\` failed: ${done.failure}`
    failures.set(digest, { at: clock.now(), why })
    report(`${why} (${checkout.url})`)
    return failed(why)
  }

  return { prepare, tidy: (limits) => tidyEnvironments(parts, limits) }
}

/** Undefined if it is not there. A copy that shares blocks where the disk can; never a link, which a session could write through. */
async function copyInto(place: string, tree: string, clock: Clock): Promise<Result<void, string> | undefined> {
  const paths = pathsIn(place)
  if (!paths) return undefined
  await utimes(place, clock.now() / 1000, clock.now() / 1000).catch(() => undefined)
  for (const path of paths) {
    const to = join(tree, path)
    // A committed link must not lead it anywhere else.
    if (path.split("/").includes("..") || !liesIn(realPath(dirname(to)), realPath(tree))) continue
    if (await isThere(to)) continue
    await mkdir(dirname(to), { recursive: true })
    const options = { limits: copyLimits, leaves: () => false, signal: new AbortController().signal }
    const copied = await copyFolder(join(place, "files", path), to, options)
    if (!copied.ok) return failed(`what was prepared cannot be copied (${JSON.stringify(copied.failure)})`)
  }
  return ok(undefined)
}

async function tidyEnvironments(
  { cache, clock }: Pick<EnvironmentParts, "cache" | "clock">,
  { unusedMs, mostBytes }: Parameters<Environments["tidy"]>[0],
): Promise<void> {
  const kept: { readonly place: string; readonly usedAt: number; readonly bytes: number }[] = []
  for (const name of await readdir(cache).catch(() => [])) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue
    const place = join(cache, name)
    kept.push({ place, usedAt: (await stat(place)).mtimeMs, bytes: await bytesBelow(place) })
  }
  let total = kept.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { place, usedAt, bytes } of kept.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (clock.now() - usedAt <= unusedMs && total <= mostBytes) continue
    total -= bytes
    await whileLocked(place, clock, () => rm(place, { recursive: true, force: true }))
  }
}

const notPrepared = "The environment could not be prepared, so dependencies may be missing."

/** What to run, and the files it depends on. */
function wishOf(
  { setup, fromRepository, files }: EnvironmentSettings,
  tree: string,
): Result<{ readonly command: string; readonly files: readonly string[] }, string> | undefined {
  if (setup !== undefined) return ok({ command: setup, files: files ?? usualFiles })
  if (fromRepository !== true) return undefined
  const text = textOf(join(tree, ownFile), tree)
  if (text === undefined) return undefined
  const { setup: own, files: named } = objectIn(text) ?? {}
  if (typeof own !== "string" || own.trim() === "")
    return failed(`${ownFile} of the repository needs "setup", a command.`)
  if (named !== undefined && !(Array.isArray(named) && named.every((each) => typeof each === "string")))
    return failed(`"files" in ${ownFile} of the repository must be a list of names.`)
  return ok({ command: own, files: (named as readonly string[] | undefined) ?? usualFiles })
}

function digestOf(
  { url, tree }: Checkout,
  command: string,
  files: readonly string[],
  image: string | undefined,
): string {
  const machine = [process.platform, process.arch, textOf("/etc/os-release") ?? "", image ?? ""]
  const hash = createHash("sha256").update(JSON.stringify([url, command, ...machine]))
  for (const file of [...files].sort()) hash.update(JSON.stringify([file, textOf(join(tree, file), tree) ?? null]))
  return hash.digest("hex")
}

/** `within`: a link that leads out of it is as good as no file. */
function textOf(file: string, within?: string): string | undefined {
  if (within !== undefined && !liesIn(realPath(file), realPath(within))) return undefined
  try {
    return readFileSync(file, "latin1")
  } catch {
    return undefined
  }
}

function pathsIn(place: string): readonly string[] | undefined {
  const paths = objectIn(textOf(join(place, "paths.json")) ?? "")?.["paths"]
  return Array.isArray(paths) ? paths.map(String) : undefined
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await bytesBelow(path)
    else if (entry.isFile()) bytes += (await stat(path).catch(() => undefined))?.size ?? 0
  }
  return bytes
}
