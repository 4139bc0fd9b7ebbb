/**
 * Repositories that sessions work in: a mirror of each in a cache, a clone for each session, and its files kept as a bundle. What is kept is made by a
 * repository of our own beside the clone: the session can write to its own one, and git would start what that names.
 */

import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { gitFile } from "./ask-git.ts"
import type { Processes } from "./process.ts"
import { readOnlyEnvironment } from "./shell/read-only-environment.ts"

export interface SourceParts {
  readonly processes: Pick<Processes, "start">
  readonly env: () => Readonly<Record<string, string>>
  /** For mirrors. */
  readonly cache: string
}

/** One session's part of a repository. */
export interface Checkout {
  readonly url: string
  /** The commit it began with. */
  readonly base: string
  readonly branch: string
  /** Where the files are, and beside them the repository of our own. */
  readonly tree: string
  readonly keeper: string
}

/** All that differs from the commit it began with. */
export interface KeptTree {
  /** The branch that is checked out, or a commit. */
  readonly head: string
  /** The files as they are, as a bundle. */
  readonly files: Uint8Array
  /** The branches with commits that the source lacks, as a bundle; none if there are none. */
  readonly commits?: Uint8Array
}

export interface Sources {
  /** The commit that a name means now, or the one that is checked out by default. The failure is a sentence. */
  readonly resolve: (url: string, ref: string | undefined) => Promise<Result<string, string>>
  /** Makes the clone, with the files as they were kept if they were. What is in its place goes. */
  readonly make: (checkout: Checkout, kept: KeptTree | undefined) => Promise<Result<void, string>>
  /** Nothing if all is as it was the last time. */
  readonly keep: (checkout: Checkout) => Promise<Result<KeptTree | undefined, string>>
  /** Puts the files into a branch of the source. */
  readonly publish: (checkout: Checkout) => Promise<Result<void, string>>
}

const filesRef = "refs/codewright/files"

/** No transport that starts a program, and nothing that looks like an option. */
const isSourceUrl = (url: string): boolean =>
  /^(?:https?|ssh|git|file):\/\/[^\s]+$/.test(url) || /^\/\S+$/.test(url) || /^[\w.-]+@[\w.-]+:[^\s:][^\s]*$/.test(url)

export function openSources(parts: SourceParts): Sources {
  const git = openSourceGit(parts)
  const mirrorOf = (url: string): string =>
    join(parts.cache, `${createHash("sha256").update(url).digest("hex").slice(0, 24)}.git`)
  const keeping = openKeeping(git, mirrorOf)

  async function refresh(url: string): Promise<Result<string, string>> {
    const mirror = mirrorOf(url)
    if (existsSync(mirror)) {
      const fetched = await git("network", mirror, ["fetch", "--quiet", "--prune", "origin"])
      return fetched.ok ? ok(mirror) : fetched
    }
    await mkdir(parts.cache, { recursive: true, mode: 0o700 })
    const fresh = `${mirror}.${process.pid}`
    await rm(fresh, { recursive: true, force: true })
    const cloned = await git("network", parts.cache, ["clone", "--quiet", "--mirror", "--", url, fresh])
    if (!cloned.ok) return cloned
    // Another worker may have been quicker.
    await rename(fresh, mirror).catch(() => rm(fresh, { recursive: true, force: true }))
    return ok(mirror)
  }

  const gone = (url: string, why: string): Result<never, string> =>
    failed(`The repository ${url} cannot be fetched: ${why}`)

  return {
    ...keeping,
    async resolve(url, ref) {
      if (!isSourceUrl(url)) return failed(`${url} is not the address of a repository.`)
      const mirror = await refresh(url)
      if (!mirror.ok) return gone(url, mirror.failure)
      for (const name of ref === undefined ? ["HEAD"] : [`refs/heads/${ref}`, `refs/tags/${ref}`, ref]) {
        const found = await git("own", mirror.value, [
          `--git-dir=${mirror.value}`,
          "rev-parse",
          "--verify",
          "--quiet",
          "--end-of-options",
          `${name}^{commit}`,
        ])
        if (found.ok) return found
      }
      return failed(`The repository ${url} has no branch, tag or commit ${ref ?? "to begin with"}.`)
    },
    async make(checkout, kept) {
      const { url, base } = checkout
      const mirror = mirrorOf(url)
      const look = [`--git-dir=${mirror}`, "cat-file", "-e", `${base}^{commit}`]
      const has = existsSync(mirror) && (await git("own", mirror, look)).ok
      // What was kept may build on commits that came later.
      const fetched = has && !kept ? ok(mirror) : await refresh(url)
      if (!fetched.ok && !has) return gone(url, fetched.failure)
      return keeping.fill(checkout, kept)
    },
    async publish(checkout) {
      const { url, keeper, branch } = checkout
      const kept = await keeping.keep(checkout)
      if (!kept.ok) return kept
      const pushed = await git("network", keeper, [
        "push",
        "--quiet",
        "--force",
        "--",
        url,
        `${filesRef}:refs/heads/${branch}`,
      ])
      return pushed.ok ? ok(undefined) : failed(`The branch ${branch} cannot be pushed to ${url}: ${pushed.failure}`)
    },
  }
}

/** `own`: nothing but what is on this disk. `session`: the same, in a repository that others can write to. */
type SourceGit = (
  where: "own" | "session" | "network",
  cwd: string,
  argv: readonly string[],
) => Promise<Result<string, string>>

const openSourceGit =
  ({ processes, env }: SourceParts): SourceGit =>
  async (where, cwd, argv) => {
    const file = gitFile()
    if (file === undefined) return failed("git is not installed")
    const plain = { ...env(), GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1" }
    const local = { ...readOnlyEnvironment(plain), GIT_CONFIG_GLOBAL: "/dev/null", GIT_ALLOW_PROTOCOL: "file" }
    const started = processes.start({ file, argv, cwd, env: where === "network" ? plain : local })
    if (!started.ok) return failed("git could not be started")
    const { stdout, stderr, exited } = started.value
    const [out, errors, code] = await Promise.all([new Response(stdout).text(), new Response(stderr).text(), exited])
    return code === 0 ? ok(out.trimEnd()) : failed(errors.trim().slice(0, 1000) || `git ended with ${code}`)
  }

interface Keeping extends Pick<Sources, "keep"> {
  readonly fill: (checkout: Checkout, kept: KeptTree | undefined) => Promise<Result<void, string>>
}

function openKeeping(git: SourceGit, mirrorOf: (url: string) => string): Keeping {
  const last = new Map<string, string>()
  const ours = ({ keeper, tree }: Checkout, ...argv: readonly string[]): Promise<Result<string, string>> =>
    git("own", tree, [`--git-dir=${keeper}`, `--work-tree=${tree}`, ...argv])

  /** Files go in and come out as they are, whatever the attributes of the repository say. */
  async function makeKeeper({ keeper, url, base, tree }: Checkout): Promise<Result<string, string>> {
    await rm(keeper, { recursive: true, force: true })
    const made = await git("own", tree, ["init", "--quiet", "--bare", keeper])
    if (!made.ok) return made
    await writeFile(join(keeper, "objects", "info", "alternates"), `${join(mirrorOf(url), "objects")}\n`)
    await mkdir(join(keeper, "info"), { recursive: true })
    await writeFile(join(keeper, "info", "attributes"), "* -text -eol -filter -ident -working-tree-encoding\n")
    return git("own", keeper, [`--git-dir=${keeper}`, "read-tree", base])
  }

  async function restore(checkout: Checkout, kept: KeptTree): Promise<Result<string, string>> {
    const { keeper, tree, base } = checkout
    const file = `${keeper}.bundle`
    await writeFile(file, kept.files, { mode: 0o600 })
    const fetched = await ours(checkout, "fetch", "--quiet", "--force", file, `${filesRef}:${filesRef}`)
    if (!fetched.ok) return fetched
    const filled = await ours(checkout, "read-tree", "-u", "--reset", filesRef)
    if (!filled.ok) return filled
    if (kept.commits) {
      await writeFile(file, kept.commits, { mode: 0o600 })
      const commits = await git("own", tree, [
        "fetch",
        "--quiet",
        "--force",
        "--update-head-ok",
        file,
        "refs/heads/*:refs/heads/*",
      ])
      if (!commits.ok) return commits
    }
    await rm(file, { force: true })
    const isBranch = !/^[0-9a-f]{40,64}$/.test(kept.head)
    const headed = isBranch
      ? await git("own", tree, ["symbolic-ref", "HEAD", `refs/heads/${kept.head}`])
      : await git("own", tree, ["update-ref", "--no-deref", "HEAD", kept.head])
    if (!headed.ok) return headed
    return git("own", tree, ["read-tree", isBranch || kept.commits ? "HEAD" : base])
  }

  return {
    async fill(checkout, kept) {
      const { tree, base, url, branch } = checkout
      await rm(tree, { recursive: true, force: true })
      await mkdir(dirname(tree), { recursive: true, mode: 0o700 })
      const steps: readonly (() => Promise<Result<string, string>>)[] = [
        () => git("own", dirname(tree), ["clone", "--quiet", "--no-checkout", "--no-tags", "--", mirrorOf(url), tree]),
        () => git("own", tree, ["remote", "set-url", "origin", url]),
        () => git("own", tree, ["checkout", "--quiet", "-B", branch, base]),
        () => makeKeeper(checkout),
        ...(kept ? [() => restore(checkout, kept)] : []),
      ]
      for (const step of steps) {
        const done = await step()
        if (!done.ok) return failed(`The files of ${url} cannot be put in place: ${done.failure}`)
      }
      return ok(undefined)
    },
    async keep(checkout) {
      const { tree, keeper, base } = checkout
      const written = await both(ours(checkout, "add", "--all", "."), () => ours(checkout, "write-tree"))
      if (!written.ok) return written
      const refs = await git("session", tree, ["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"])
      const head = await headOf(tree)
      if (!refs.ok || !head.ok) return refs.ok ? failed(headless(head)) : refs
      const state = `${written.value}\n${head.value}\n${refs.value}`
      if (last.get(tree) === state) return ok(undefined)
      const commit = await ours(
        checkout,
        ...identity,
        "commit-tree",
        written.value,
        "-p",
        base,
        "-m",
        "The files of a session",
      )
      if (!commit.ok) return commit
      const named = await ours(checkout, "update-ref", filesRef, commit.value)
      if (!named.ok) return named
      const file = `${keeper}.bundle`
      const files = await bundled(ours(checkout, "bundle", "create", "--quiet", file, filesRef, `^${base}`), file)
      if (!files.ok) return files
      // It fails if there is nothing that the source lacks.
      const own = ["bundle", "create", "--quiet", file, "--branches", "--not", base, "--remotes"]
      const commits = await bundled(git("session", tree, own), file)
      last.set(tree, state)
      return ok({ head: head.value, files: files.value, ...(commits.ok && { commits: commits.value }) })
    },
  }

  async function headOf(tree: string): Promise<Result<string, string>> {
    const branch = await git("session", tree, ["symbolic-ref", "--quiet", "--short", "HEAD"])
    return branch.ok ? branch : git("session", tree, ["rev-parse", "--verify", "--quiet", "HEAD"])
  }
}

const headless = (head: Result<string, string>): string => (head.ok ? "" : `nothing is checked out (${head.failure})`)

const identity = ["-c", "user.name=Codewright", "-c", "user.email=codewright@localhost"]

const both = async (
  first: Promise<Result<string, string>>,
  second: () => Promise<Result<string, string>>,
): Promise<Result<string, string>> => {
  const done = await first
  return done.ok ? second() : done
}

async function bundled(making: Promise<Result<string, string>>, file: string): Promise<Result<Uint8Array, string>> {
  const made = await making
  if (!made.ok) return made
  const bytes = new Uint8Array(await readFile(file))
  await rm(file, { force: true })
  return ok(bytes)
}
