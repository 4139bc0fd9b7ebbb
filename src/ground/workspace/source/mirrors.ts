/** Mirrors of repositories on this machine: one for each address, brought up to date when it is asked for. */

import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, utimes } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { whileLocked } from "./mirror-lock.ts"
import { inOrder, type RunGit } from "./run.ts"

/** Whether what a session began with can still be fetched from its repository. */
export type SourceState = { readonly kind: "there" } | { readonly kind: "gone"; readonly why: string }

export interface Mirrors {
  readonly pathOf: (url: string) => string
  readonly has: (url: string, commit: string) => Promise<boolean>
  readonly refresh: (url: string) => Promise<Result<string, string>>
  /** One that has nothing, for what is known from elsewhere. */
  readonly empty: (url: string) => Promise<Result<string, string>>
  /** Changes one that is there. Nobody else does meanwhile. */
  readonly change: <T>(url: string, work: () => Promise<T>) => Promise<T>
  /** Of a moment ago, if it was asked for then. */
  readonly standing: (url: string, commit: string) => Promise<SourceState>
}

/** Other sessions' files are not fetched along. */
const wanted = ["+refs/*:refs/*", "^refs/codewright/*"]

const standingMs = 300_000
/** So many fetches later, everything is put into one pack again. */
const mostPacks = 40

export function openMirrors({
  git,
  cache,
  clock,
}: {
  readonly git: RunGit
  readonly cache: string
  readonly clock: Clock
}): Mirrors {
  const queue = openQueue<Result<string, string>>()
  const looked = new Map<string, { readonly at: number; readonly standing: Promise<SourceState> }>()

  const pathOf = (url: string): string =>
    join(cache, `${createHash("sha256").update(url).digest("hex").slice(0, 24)}.git`)

  const fetchInto = (mirror: string): Promise<Result<string, string>> =>
    git("network", mirror, [
      "-c",
      "gc.auto=0",
      "fetch",
      "--quiet",
      "--prune",
      "--no-write-fetch-head",
      "origin",
      ...wanted,
    ])

  async function make(
    url: string,
    fill: (fresh: string) => Promise<Result<string, string>>,
  ): Promise<Result<string, string>> {
    const mirror = pathOf(url)
    await mkdir(cache, { recursive: true, mode: 0o700 })
    const fresh = `${mirror}.${process.pid}`
    await rm(fresh, { recursive: true, force: true })
    const made = await inOrder([
      () => git("local", cache, ["init", "--quiet", "--bare", fresh]),
      () => git("local", fresh, [`--git-dir=${fresh}`, "config", "remote.origin.url", url]),
      () => fill(fresh),
    ])
    if (!made.ok) {
      await rm(fresh, { recursive: true, force: true })
      return made
    }
    // Another worker may have been quicker.
    await rename(fresh, mirror).catch(() => rm(fresh, { recursive: true, force: true }))
    return ok(mirror)
  }

  async function change<T>(url: string, work: () => Promise<T>): Promise<T> {
    await mkdir(cache, { recursive: true, mode: 0o700 })
    return whileLocked(pathOf(url), clock, work)
  }

  const refresh = (url: string): Promise<Result<string, string>> =>
    queue.share(url, () => change(url, () => refreshed(url)))

  async function refreshed(url: string): Promise<Result<string, string>> {
    const mirror = pathOf(url)
    if (!existsSync(mirror))
      return make(url, async (fresh) => {
        const fetched = await fetchInto(fresh)
        return fetched.ok ? setHead(fresh) : fetched
      })
    await touch(mirror, clock)
    const fetched = await fetchInto(mirror)
    if (!fetched.ok) return fetched
    await repack(mirror)
    // The branch that it was may be gone or have another name by now.
    const head = await git("local", mirror, [`--git-dir=${mirror}`, "rev-parse", "--verify", "--quiet", "HEAD"])
    if (!head.ok) await setHead(mirror)
    return ok(mirror)
  }

  /** Nothing is ever removed: clones of sessions have no other copy of these objects, also of those that no branch leads to any more. */
  async function repack(mirror: string): Promise<void> {
    const packs = (await readdir(join(mirror, "objects", "pack"))).filter((name) => name.endsWith(".pack"))
    if (packs.length <= mostPacks) return
    await git("local", mirror, [`--git-dir=${mirror}`, "repack", "--quiet", "-a", "-d", "--keep-unreachable"])
    for (const [file, tree] of await borrowersOf(mirror)) if (!existsSync(tree)) await rm(file, { force: true })
  }

  /** The branch that is checked out by default; a repository need not have one. */
  async function setHead(mirror: string): Promise<Result<string, string>> {
    const remoteHead = await git("network", mirror, ["ls-remote", "--symref", "origin", "HEAD"])
    if (!remoteHead.ok) return remoteHead
    const [, name] = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(remoteHead.value) ?? []
    return name === undefined ? ok("") : git("local", mirror, [`--git-dir=${mirror}`, "symbolic-ref", "HEAD", name])
  }

  async function has(url: string, commit: string): Promise<boolean> {
    const mirror = pathOf(url)
    if (!existsSync(mirror)) return false
    // Whoever asks uses it next.
    await touch(mirror, clock)
    return (await git("local", mirror, [`--git-dir=${mirror}`, "cat-file", "-e", `${commit}^{commit}`])).ok
  }

  async function checkCommit(url: string, commit: string): Promise<SourceState> {
    const mirror = await refresh(url)
    if (!mirror.ok) return { kind: "gone", why: `The repository ${url} cannot be fetched: ${mirror.failure}` }
    const found = await git("local", mirror.value, [
      `--git-dir=${mirror.value}`,
      "for-each-ref",
      "--count=1",
      `--contains=${commit}`,
      "refs/heads",
      "refs/tags",
    ])
    if (found.ok && found.value !== "") return { kind: "there" }
    return { kind: "gone", why: `The repository ${url} no longer has the commit ${commit.slice(0, 12)}` }
  }

  return {
    pathOf,
    has,
    refresh,
    empty: (url) =>
      queue.run(url, () =>
        change(url, async () => (existsSync(pathOf(url)) ? ok(pathOf(url)) : make(url, async () => ok("")))),
      ),
    change,
    standing(url, commit) {
      const key = `${commit} ${url}`
      const known = looked.get(key)
      if (known && clock.now() - known.at < standingMs) return known.standing
      const standing = checkCommit(url, commit)
      looked.set(key, { at: clock.now(), standing })
      return standing
    },
  }
}

/** The clones that read its objects, and where each is written down. */
export async function borrowersOf(mirror: string): Promise<readonly (readonly [file: string, tree: string])[]> {
  const folder = join(mirror, "borrowers")
  const names = await readdir(folder).catch(() => [])
  return Promise.all(
    names.map(
      async (name) => [join(folder, name), await readFile(join(folder, name), "utf8").catch(() => "")] as const,
    ),
  )
}

interface MirrorQueue<T> {
  readonly run: (key: string, work: () => Promise<T>) => Promise<T>
  /** Whoever comes while one waits gets the answer of that one, which has not begun yet. */
  readonly share: (key: string, work: () => Promise<T>) => Promise<T>
}

/** For each key one after the other: sessions of this process share a mirror. */
function openQueue<T>(): MirrorQueue<T> {
  const last = new Map<string, Promise<unknown>>()
  const waiting = new Map<string, Promise<T>>()

  async function run(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (last.get(key) ?? Promise.resolve()).then(work)
    const over = mine.catch(() => undefined)
    last.set(key, over)
    try {
      return await mine
    } finally {
      if (last.get(key) === over) last.delete(key)
    }
  }

  return {
    run,
    share(key, work) {
      const known = waiting.get(key)
      if (known) return known
      const next = run(key, () => {
        waiting.delete(key)
        return work()
      })
      waiting.set(key, next)
      return next
    },
  }
}

/** When it was last used is how old it is. */
const touch = (path: string, clock: Clock): Promise<void> =>
  utimes(path, clock.now() / 1000, clock.now() / 1000).catch(() => undefined)

/** No transport that starts a program, and nothing that looks like an option. */
export const isSourceUrl = (url: string): boolean =>
  /^(?:https?|ssh|git|file):\/\/[^\s]+$/.test(url) || /^\/\S+$/.test(url) || /^[\w.-]+@[\w.-]+:[^\s:][^\s]*$/.test(url)

export const notASource = (url: string): Result<never, string> => failed(`${url} is not the address of a repository.`)
