/** Repositories that sessions work in: a mirror of each on this machine, a clone for each session, and all that a session did kept for others. */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { readFile, rm, writeFile } from "node:fs/promises"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { bringBranch, type BranchRequest, type Brought, broughtRef } from "./bring.ts"
import {
  baseRef,
  type Checkout,
  identity,
  type Lane,
  laneRef,
  objectsOf,
  openRunKeeper,
  type RunKeeper,
} from "./checkout.ts"
import { type Committed, type CommitWish, commitFiles } from "./commit.ts"
import { type KeepStates, openKeepStates } from "./keep.ts"
import { isSourceUrl, type Mirrors, notASource, openMirrors } from "./mirrors.ts"
import { decodeNote, type TreeNote } from "./note.ts"
import { makeClone, restoreBeside, restoreFiles, restoreRest, setAuthor } from "./restore.ts"
import { inOrder, openRunGit, type RunGit, type RunParts } from "./run.ts"

export interface SourceParts extends RunParts {
  /** For mirrors. */
  readonly cache: string
  readonly clock: Clock
}

/** What was kept of one lane: pieces that build on each other, or a ref of the source. */
export type KeptLane = { readonly parts: readonly Uint8Array[] } | { readonly ref: string }

export interface Sources extends Pick<Mirrors, "standing"> {
  /** The commit that a name means now, or the one that is checked out by default. The failure is a sentence. */
  readonly resolve: (url: string, ref: string | undefined) => Promise<Result<string, string>>
  /** Makes the clone as of the commit it begins with. What is in its place goes. */
  readonly make: (checkout: Checkout) => Promise<Result<void, string>>
  /** Makes the clone as it was kept; what was kept beside the files goes to a folder. */
  readonly restore: (
    checkout: Checkout,
    kept: { readonly [lane in Lane]: KeptLane },
    beside: string,
  ) => Promise<Result<TreeNote, string>>
  /** Makes the clone of a session that begins with what another one has committed, on a branch of its own. */
  readonly makeFrom: (checkout: Checkout, other: OtherTree) => Promise<Result<void, string>>
  /** Brings a branch of another session into the clone, or brings it up to date. The failure is a sentence without its end. */
  readonly bring: (checkout: Checkout, other: OtherTree, wish: BranchRequest) => Promise<Result<Brought, string>>
  /** Whether the clone can be used as it is. */
  readonly isThere: (checkout: Checkout) => Promise<boolean>
  /** Where a clone's objects are besides its own folder: its programs read them there. */
  readonly objectsOf: (url: string) => string
  /** What git ignores in the clone, folders as a whole with a slash at the end. */
  readonly ignored: (checkout: Checkout) => Promise<Result<readonly string[], string>>
  readonly keep: KeepStates["keep"]
  /** A lane as bytes, from an earlier state of it on; all that the commit it began with lacks when absent. */
  readonly pack: (checkout: Checkout, lane: Lane, state: string, from?: PackFrom) => Promise<Result<Packed, string>>
  /** Puts the lane of the files into the source, under a name that clones do not fetch; `since` is what it was there. Returns what it is now. */
  readonly push: (checkout: Checkout, state: string, ref: string, since?: string) => Promise<Result<string, string>>
  readonly removeRef: (url: string, ref: string) => Promise<Result<void, string>>
  /** Puts the files into a branch of the source. */
  readonly publish: (checkout: Checkout) => Promise<Result<void, string>>
  /** Commits the files as they were kept last, in the clone. */
  readonly commit: (checkout: Checkout, wish: CommitWish) => Promise<Result<Committed, string>>
  /** Puts a commit into a branch of the source, which must not have others. The failure is a sentence. */
  readonly pushBranch: (checkout: Checkout, commit: string, branch: string) => Promise<Result<void, string>>
}

/** What was kept of another session of the same repository, and the state that this is. */
export interface OtherTree {
  readonly session: string
  readonly state: string
  /** Read only if the state is not here yet. */
  readonly files: () => Promise<KeptLane>
}

/** `whole`: with everything that the source would have. */
export type PackFrom = { readonly since: string } | "whole"

export interface Packed {
  readonly bytes: Uint8Array
  /** What the next one can build on. */
  readonly state: string
}

export function openSources(parts: SourceParts): Sources {
  const git = openRunGit(parts)
  const mirrors = openMirrors({ ...parts, git })
  const states = openKeepStates(git)
  const push = (
    keeper: string,
    url: string,
    what: string,
    force: readonly string[] = ["--force"],
  ): Promise<Result<string, string>> =>
    git("network", keeper, [`--git-dir=${keeper}`, ...wholeTrees, "push", "--quiet", ...force, "--", url, what], {
      env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: keeper.replace(/keeper\.git$/, "tree/.git/objects") },
    })

  async function bring(checkout: Checkout, other: OtherTree, wish: BranchRequest): Promise<Result<Brought, string>> {
    const ref = broughtRef(other.session)
    const run = openRunKeeper(git, checkout)
    const known = await run(["rev-parse", "--verify", "--quiet", ref])
    if (!known.ok || known.value !== other.state) {
      const fetched = await fetchLane(git, checkout, "files", await other.files(), ref)
      if (!fetched.ok) return fetched
    }
    return bringBranch(git, checkout, other.session, wish)
  }

  return {
    standing: mirrors.standing,
    bring,
    async makeFrom(checkout, other) {
      const { url, base, branch, tree } = checkout
      const found = (await mirrors.has(url, base))
        ? ok(undefined)
        : await fetchBase(git, mirrors, checkout, await other.files())
      if (!found.ok) return found
      states.forget(checkout)
      const made = await makeClone(git, mirrors.pathOf(url), checkout)
      if (!made.ok) return notInPlace(url, made.failure)
      const brought = await bring(checkout, other, "head")
      if (!brought.ok) return notInPlace(url, brought.failure)
      const { commit, author } = brought.value
      const session = (...argv: readonly string[]): Promise<Result<string, string>> => git("local", tree, argv)
      const begun = await inOrder([
        () => session("checkout", "--quiet", "-B", branch, commit),
        () => setAuthor(session, { author }),
      ])
      return begun.ok ? ok(undefined) : notInPlace(url, begun.failure)
    },
    async resolve(url, ref) {
      if (!isSourceUrl(url)) return notASource(url)
      const mirror = await mirrors.refresh(url)
      if (!mirror.ok) return gone(url, mirror.failure)
      for (const name of ref === undefined ? ["HEAD"] : [`refs/heads/${ref}`, `refs/tags/${ref}`, ref]) {
        const wish = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]
        const found = await git("local", mirror.value, [`--git-dir=${mirror.value}`, ...wish])
        if (found.ok) return found
      }
      return failed(`The repository ${url} has no branch, tag or commit ${ref ?? "to begin with"}.`)
    },
    async make(checkout) {
      const { url, base } = checkout
      if (!isSourceUrl(url)) return notASource(url)
      if (!(await mirrors.has(url, base))) {
        const fetched = await mirrors.refresh(url)
        if (!fetched.ok) return gone(url, fetched.failure)
      }
      states.forget(checkout)
      const made = await makeClone(git, mirrors.pathOf(url), checkout)
      return made.ok ? made : notInPlace(url, made.failure)
    },
    async restore(checkout, kept, beside) {
      const { url, base } = checkout
      const found = (await mirrors.has(url, base)) ? ok(undefined) : await fetchBase(git, mirrors, checkout, kept.files)
      if (!found.ok) return found
      states.forget(checkout)
      const note = await refill(git, mirrors, checkout, kept, beside)
      return note.ok ? note : notInPlace(url, note.failure)
    },
    isThere: (checkout) => isWhole(git, checkout, mirrors.pathOf(checkout.url)),
    objectsOf: (url) => join(mirrors.pathOf(url), "objects"),
    ignored: (checkout) => ignoredIn(openRunKeeper(git, checkout)),
    keep: states.keep,
    pack: (checkout, lane, state, from) => packLane(git, checkout, lane, state, from),
    async push(checkout, state, ref, since) {
      const tip = await tipOf(openRunKeeper(git, checkout), "files", state, since)
      if (!tip.ok) return tip
      const pushed = await push(checkout.keeper, checkout.url, `${laneRef("files")}:${ref}`)
      return pushed.ok ? tip : pushed
    },
    async removeRef(url, ref) {
      const mirror = isSourceUrl(url) ? await mirrors.refresh(url) : notASource(url)
      if (!mirror.ok) return mirror
      const removed = await git("network", mirror.value, ["push", "--quiet", "--", url, `:${ref}`])
      return removed.ok ? ok(undefined) : removed
    },
    commit: (checkout, wish) => commitFiles(git, checkout, wish),
    pushBranch: ({ keeper, url }, commit, branch) =>
      push(keeper, url, `${commit}:refs/heads/${branch}`, []).then((pushed) =>
        pushed.ok ? ok(undefined) : failed(notPushedWords(branch, url, pushed.failure)),
      ),
    publish: (checkout) => publishBranch(push, openRunKeeper(git, checkout), checkout),
  }
}

/** Another machine may have made the clone, with a mirror of its own. */
async function isWhole(git: RunGit, { base, tree, keeper }: Checkout, mirror: string): Promise<boolean> {
  if (![tree, keeper, mirror].every((path) => existsSync(path))) return false
  return (await git("local", tree, ["cat-file", "-e", `${base}^{tree}`])).ok
}

async function ignoredIn(run: RunKeeper): Promise<Result<readonly string[], string>> {
  const list = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"]
  const found = await run(list, { index: "index" })
  return found.ok ? ok(found.value.split("\0").filter((path) => path !== "")) : found
}

type Push = (keeper: string, url: string, what: string) => Promise<Result<string, string>>

async function publishBranch(push: Push, run: RunKeeper, checkout: Checkout): Promise<Result<void, string>> {
  const { url, keeper, branch } = checkout
  const made = await branchTip(run, checkout)
  const pushed = made.ok ? await push(keeper, url, `${made.value}:refs/heads/${branch}`) : made
  return pushed.ok ? ok(undefined) : failed(`The branch ${branch} cannot be pushed to ${url}: ${pushed.failure}`)
}

const notPushedWords = (branch: string, url: string, why: string): string =>
  /non-fast-forward|fetch first|rejected/.test(why)
    ? `The branch ${branch} of ${url} has commits that are not here. Choose another name for the branch.`
    : `The branch ${branch} cannot be pushed to ${url}: ${why}`

/** A bundle of one lane, without what the other side has. */
async function packLane(
  git: RunGit,
  ...[checkout, lane, state, from]: Parameters<Sources["pack"]>
): ReturnType<Sources["pack"]> {
  const without = from === "whole" ? [] : [`^${checkout.base}`, ...(from ? [`^${from.since}`] : [])]
  const file = `${checkout.keeper}.${lane}.bundle`
  const run = openRunKeeper(git, checkout)
  const tip = await tipOf(run, lane, state, from === "whole" ? undefined : from?.since)
  if (!tip.ok) return tip
  const made = await run([...wholeTrees, "bundle", "create", "--quiet", file, laneRef(lane), ...without])
  if (!made.ok) return made
  const bytes = new Uint8Array(await readFile(file))
  await rm(file, { force: true })
  return ok({ bytes, state: tip.value })
}

/** The session's own commits, and on them what it has not committed. */
async function branchTip(run: RunKeeper, { base, branch }: Checkout): Promise<Result<string, string>> {
  const tree = await run(["rev-parse", `${laneRef("files")}:files`])
  const note = await run(["cat-file", "blob", `${laneRef("files")}:note`])
  if (!tree.ok) return tree
  const refs = note.ok ? decodeNote(note.value)?.refs : undefined
  const own = refs?.find(({ name }) => name === `refs/heads/${branch}`)?.id
  const isFromBase = own !== undefined && (await run(["merge-base", "--is-ancestor", base, own])).ok
  const parent = isFromBase ? own : base
  const committed = await run(["rev-parse", `${parent}^{tree}`])
  if (parent !== base && committed.ok && committed.value === tree.value) return ok(parent)
  const message = parent === base ? "The files of a session" : "What the session did not commit"
  return run([...identity, "commit-tree", tree.value, "-p", parent, "-m", message])
}

/** Contents are found again under any name, not only where they were. */
const wholeTrees = ["-c", "pack.useSparse=false"]

/** Git leaves out only what a parent has, so an earlier state becomes one. */
async function tipOf(
  run: RunKeeper,
  lane: Lane,
  state: string,
  since: string | undefined,
): Promise<Result<string, string>> {
  const tip = since === undefined ? ok(state) : await joined(run, state, since)
  const named = tip.ok ? await run(["update-ref", laneRef(lane), tip.value]) : tip
  return named.ok ? tip : named
}

async function joined(run: RunKeeper, state: string, since: string): Promise<Result<string, string>> {
  const parents = await run(["rev-parse", `${state}^@`, `${since}^{commit}`])
  if (!parents.ok) return parents
  const links = parents.value.split("\n").flatMap((id) => ["-p", id])
  return run([...identity, "commit-tree", `${state}^{tree}`, ...links, "-m", "Kept"])
}

const gone = (url: string, why: string): Result<never, string> =>
  failed(`The repository ${url} cannot be fetched: ${why}`)

const notInPlace = (url: string, why: string): Result<never, string> =>
  failed(`The files of ${url} cannot be put in place: ${why}`)

async function refill(
  git: RunGit,
  mirrors: Mirrors,
  checkout: Checkout,
  kept: { readonly [lane in Lane]: KeptLane },
  beside: string,
): Promise<Result<TreeNote, string>> {
  const made = await makeClone(git, mirrors.pathOf(checkout.url), checkout)
  if (!made.ok) return made
  for (const lane of ["files", "beside"] as const) {
    const fetched = await fetchLane(git, checkout, lane, kept[lane])
    if (!fetched.ok) return fetched
  }
  const note = await restoreFiles(git, checkout)
  if (!note.ok) return note
  const rest = await restoreRest(git, checkout, note.value)
  if (!rest.ok) return rest
  const put = await restoreBeside(git, checkout, beside)
  return put.ok ? note : put
}

async function fetchLane(
  git: RunGit,
  checkout: Checkout,
  lane: Lane,
  kept: KeptLane,
  to: string = laneRef(lane),
): Promise<Result<string, string>> {
  const { keeper, url } = checkout
  const plain = [`--git-dir=${keeper}`, "-c", "gc.auto=0", "fetch", "--quiet", "--force", "--no-tags"]
  // Commits that the session made itself are nowhere else.
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsOf(checkout) }
  if ("ref" in kept) return git("network", keeper, [...plain, url, `${kept.ref}:${to}`], { env })
  const file = `${keeper}.${lane}.fetched`
  let last: Result<string, string> = ok("")
  for (const part of kept.parts) {
    await writeFile(file, part, { mode: 0o600 })
    last = await git("local", keeper, [...plain, file, `${laneRef(lane)}:${to}`], { env })
    if (!last.ok) break
  }
  await rm(file, { force: true })
  return last
}

/** The source may still give a commit that no branch leads to, or what was kept has it all. */
async function fetchBase(
  git: RunGit,
  mirrors: Mirrors,
  { url, base }: Checkout,
  kept: KeptLane,
): Promise<Result<void, string>> {
  const fetched = await mirrors.refresh(url)
  if (fetched.ok && (await mirrors.has(url, base))) return ok(undefined)
  const wish = ["fetch", "--quiet", "--no-write-fetch-head", "origin", `${base}:${baseRef}`]
  if (fetched.ok) await mirrors.change(url, () => git("network", fetched.value, wish))
  if (await mirrors.has(url, base)) return ok(undefined)
  const mirror = fetched.ok || existsSync(mirrors.pathOf(url)) ? ok(mirrors.pathOf(url)) : await mirrors.empty(url)
  const [first] = "parts" in kept ? kept.parts : []
  if (mirror.ok && first) {
    const file = `${mirror.value}.bundle`
    await writeFile(file, first, { mode: 0o600 })
    const own = [`--git-dir=${mirror.value}`, "fetch", "--quiet", "--force", "--no-tags", file]
    const into = `${laneRef("files")}:refs/codewright/kept/${base}`
    await mirrors.change(url, () => git("local", mirror.value, [...own, into]))
    await rm(file, { force: true })
    if (await mirrors.has(url, base)) return ok(undefined)
  }
  if (!fetched.ok) return gone(url, fetched.failure)
  return failed(`The repository ${url} no longer has the commit ${base.slice(0, 12)}, which the session began with.`)
}
