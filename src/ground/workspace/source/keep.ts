/** Makes commits of all that a session's folder has: one for each lane, the same as before if nothing has changed. See decision 88. */

import { existsSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Checkout, identity, type Lane, laneRef, openRunKeeper, type RunKeeper } from "./checkout.ts"
import { findLeftovers } from "./leftovers.ts"
import { encodeNote, type NotedRef, type StagedPath, type TreeNote } from "./note.ts"
import type { RunGit } from "./run.ts"

/** Something kept beside the files under a name of its own, such as a snapshot. It never changes. */
export interface Beside {
  readonly name: string
  readonly bytes: () => Uint8Array
}

export type KeptStates = { readonly [lane in Lane]: string }

export interface KeepStates {
  /** `beside`: what was not given before for this checkout. */
  readonly keep: (checkout: Checkout, beside: Iterable<Beside>) => Promise<Result<KeptStates, string>>
  /** The keeper was made again. */
  readonly forget: (checkout: Checkout) => void
}

export function openKeepStates(git: RunGit): KeepStates {
  const before = new Map<string, { readonly key: string; readonly states: KeptStates }>()

  async function keep(checkout: Checkout, beside: Iterable<Beside>): Promise<Result<KeptStates, string>> {
    const run = openRunKeeper(git, checkout)
    const [checkoutState, added] = await Promise.all([lookAt(git, run, checkout), addBeside(run, checkout, beside)])
    if (!checkoutState.ok) return checkoutState
    if (!added.ok) return added
    const files = await addFiles(run, checkoutState.value)
    // What git cannot read is named in the note; anything else is a failure.
    if (!files.ok && checkoutState.value.unreadable.length === 0) return files
    const trees = await treesOf(run, checkout, checkoutState.value)
    if (!trees.ok) return trees
    const tips = [...new Set(checkoutState.value.note.refs.flatMap(({ id, tag }) => (tag === undefined ? [id] : [])))]
    const key = JSON.stringify([trees.value, tips, checkoutState.value.headId])
    const known = before.get(checkout.keeper)
    if (known?.key === key) return ok(known.states)
    const states = await commit(
      run,
      checkout,
      trees.value,
      checkoutState.value.headId === "" ? tips : [...tips, checkoutState.value.headId],
    )
    if (states.ok) before.set(checkout.keeper, { key, states: states.value })
    return states
  }

  return { keep, forget: ({ keeper }) => void before.delete(keeper) }
}

/** Git cannot add repositories inside this one as files. */
const addFiles = (run: RunKeeper, { repositories }: Look): Promise<Result<string, string>> =>
  run(["add", "--all", "--ignore-errors", "--", ".", ...repositories.map((path) => `:(exclude,literal)${path}`)])

/** Written, added and removed again: the keeper has them. */
async function addBeside(
  run: RunKeeper,
  { keeper }: Checkout,
  beside: Iterable<Beside>,
): Promise<Result<string, string>> {
  const folder = join(keeper, "beside")
  const names: string[] = []
  for (const { name, bytes } of beside) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, bytes(), { mode: 0o600 })
    names.push(name)
  }
  if (names.length === 0) return ok("")
  const list = join(keeper, "beside-names")
  await writeFile(list, names.join("\0"))
  const added = await run(
    [`--work-tree=${folder}`, "add", "--force", `--pathspec-from-file=${list}`, "--pathspec-file-nul"],
    { index: "beside.index", env: { GIT_LITERAL_PATHSPECS: "1" } },
  )
  await rm(folder, { recursive: true, force: true })
  return added
}

interface Look {
  readonly note: TreeNote
  readonly ignored: readonly string[]
  readonly unreadable: readonly string[]
  readonly repositories: readonly string[]
  /** Empty where nothing is checked out yet. */
  readonly headId: string
}

async function lookAt(git: RunGit, run: RunKeeper, { tree }: Checkout): Promise<Result<Look, string>> {
  const session = (...argv: readonly string[]): Promise<Result<string, string>> => git("local", tree, argv)
  const format = "--format=%(refname)%00%(objectname)%00%(objecttype)"
  const [refs, branch, headId, listed, name, email] = await Promise.all([
    session("for-each-ref", format),
    session("symbolic-ref", "--quiet", "HEAD"),
    session("rev-parse", "--verify", "--quiet", "HEAD^{commit}"),
    run(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"], { index: "index" }),
    session("config", "--local", "--get", "user.name"),
    session("config", "--local", "--get", "user.email"),
  ])
  if (!refs.ok) return refs
  if (!listed.ok) return listed
  const head = branch.ok ? branch.value.replace(/^refs\/heads\//, "") : headId.ok ? headId.value : undefined
  if (head === undefined) return failed("nothing is checked out")
  const noted = await notedRefs(session, refs.value)
  if (!noted.ok) return noted
  const staged = await stagedPaths(session, headId.ok)
  if (!staged.ok) return staged
  const left = await findLeftovers(tree, listed.value.split("\0"), process.umask())
  const begun = besideTheIndex.filter((each) => existsSync(join(tree, ".git", each))).map((each) => `.git/${each}`)
  return ok({
    ignored: left.ignored,
    unreadable: left.unreadable,
    repositories: left.repositories,
    headId: headId.ok ? headId.value : "",
    note: {
      head,
      refs: noted.value,
      staged: staged.value,
      emptyFolders: left.emptyFolders,
      modes: left.modes,
      author: { ...(name.ok && { name: name.value }), ...(email.ok && { email: email.value }) },
      stays: [...left.stays, ...begun].sort(),
    },
  })
}

/** What a session has begun and not ended, and files of agents that are not committed. */
const besideTheIndex: readonly string[] = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "rebase-merge",
  "rebase-apply",
  "BISECT_LOG",
  "worktrees",
]

type AskClone = (...argv: readonly string[]) => Promise<Result<string, string>>

async function notedRefs(session: AskClone, listed: string): Promise<Result<readonly NotedRef[], string>> {
  const refs: NotedRef[] = []
  for (const line of listed === "" ? [] : listed.split("\n")) {
    const [name = "", id = "", type = ""] = line.split("\0")
    if (name.startsWith("refs/remotes/")) continue
    if (type === "commit") refs.push({ name, id })
    if (type !== "tag") continue
    const tag = await session("cat-file", "tag", id)
    const at = await session("rev-parse", "--verify", "--quiet", `${id}^{commit}`)
    if (!tag.ok) return tag
    // The commit travels under the same name, and the tag is made again over it.
    if (at.ok) refs.push({ name, id: at.value }, { name, id, tag: `${tag.value}\n` })
  }
  return ok(refs)
}

async function stagedPaths(session: AskClone, hasHead: boolean): Promise<Result<readonly StagedPath[], string>> {
  const against = hasHead ? ok("HEAD") : await session("hash-object", "-t", "tree", "/dev/null")
  if (!against.ok) return against
  const raw = await session("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", against.value)
  if (!raw.ok) return raw
  const parts = raw.value.split("\0")
  const staged: StagedPath[] = []
  let hasConflicts = false
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = "", , id = "", status = ""] = (parts[at] ?? "").replace(/^:/, "").split(" ")
    if (status === "U") hasConflicts = true
    else if (mode !== "160000") staged.push({ path: parts[at + 1] ?? "", mode, id, stage: 0 })
  }
  if (!hasConflicts) return ok(staged)
  const unmerged = await session("ls-files", "--unmerged", "-z")
  if (!unmerged.ok) return unmerged
  for (const row of unmerged.value.split("\0").filter((each) => each !== "")) {
    const [, mode = "", id = "", stage = "", path = ""] = /^(\d+) (\w+) (\d)\t(.*)$/s.exec(row) ?? []
    staged.push({ path, mode, id, stage: Number(stage) })
  }
  return ok(staged)
}

interface Trees {
  readonly files: string
  readonly staged: string
  readonly beside: string
}

/** Of all files, of what is staged and in no commit yet, and of what is beside. */
async function treesOf(run: RunKeeper, { keeper }: Checkout, { note, ignored }: Look): Promise<Result<Trees, string>> {
  const staged = new Map(note.staged.filter(({ mode }) => mode !== "000000").map(({ id, mode }) => [id, mode]))
  const stagedRows = [...staged].map(([id, mode]) => `${mode} blob ${id}\t${id}\n`).join("")
  const [files, stagedTree, ignoredTree, besideTree, noteBlob] = await Promise.all([
    run(["write-tree"]),
    run(["mktree"], { input: stagedRows }),
    ignored.length === 0 ? ok("") : addIgnored(run, join(keeper, "ignored-names"), ignored),
    run(["write-tree"], { index: "beside.index" }),
    run(["hash-object", "-w", "--stdin"], { input: encodeNote(note) }),
  ])
  if (!files.ok) return files
  if (!stagedTree.ok) return stagedTree
  if (!ignoredTree.ok) return ignoredTree
  if (!besideTree.ok) return besideTree
  if (!noteBlob.ok) return noteBlob
  const ignoredRow = ignoredTree.value === "" ? "" : `040000 tree ${ignoredTree.value}\tignored\n`
  const [all, beside] = await Promise.all([
    run(["mktree"], { input: `040000 tree ${files.value}\tfiles\n100644 blob ${noteBlob.value}\tnote\n` }),
    run(["mktree"], { input: `${ignoredRow}040000 tree ${besideTree.value}\tkept\n` }),
  ])
  if (!all.ok) return all
  return beside.ok ? ok({ files: all.value, staged: stagedTree.value, beside: beside.value }) : beside
}

async function addIgnored(run: RunKeeper, list: string, paths: readonly string[]): Promise<Result<string, string>> {
  const index = "ignored.index"
  await writeFile(list, paths.join("\0"))
  const emptied = await run(["read-tree", "--empty"], { index })
  if (!emptied.ok) return emptied
  const added = await run(["add", "--force", `--pathspec-from-file=${list}`, "--pathspec-file-nul"], {
    index,
    env: { GIT_LITERAL_PATHSPECS: "1" },
  })
  return added.ok ? run(["write-tree"], { index }) : added
}

async function commit(
  run: RunKeeper,
  { base }: Checkout,
  trees: Trees,
  tips: readonly string[],
): Promise<Result<KeptStates, string>> {
  const make = (tree: string, parents: readonly string[]): Promise<Result<string, string>> =>
    run([...identity, "commit-tree", tree, ...[...new Set(parents)].flatMap((each) => ["-p", each]), "-m", "Kept"])
  // All that the session's own git needs is in this one: its commits, and what is staged.
  const own = await make(trees.staged, [base, ...tips])
  if (!own.ok) return own
  const files = await make(trees.files, [base, own.value])
  if (!files.ok) return files
  const beside = await make(trees.beside, [base])
  if (!beside.ok) return beside
  for (const [lane, id] of [
    ["files", files.value],
    ["beside", beside.value],
  ] as const) {
    const named = await run(["update-ref", laneRef(lane), id])
    if (!named.ok) return named
  }
  return ok({ files: files.value, beside: beside.value })
}
