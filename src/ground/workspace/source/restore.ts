/** Makes a session's clone, and puts into it what was kept. */

import { chmod, mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { baseRef, type Checkout, laneRef, openRunKeeper, ownAuthor, type RunKeeper } from "./checkout.ts"
import { decodeNote, type StagedPath, type TreeNote } from "./note.ts"
import { borrowerFile } from "#ground/workspace/git/borrowing.ts"
import { inOrder, type RunGit } from "./run.ts"

/**
 * What is in its place goes. The clone reads the objects of the mirror where they are, without links to its files: whoever may write to a link of a
 * file changes it for all others.
 */
export async function makeClone(git: RunGit, mirror: string, checkout: Checkout): Promise<Result<void, string>> {
  const { tree, keeper, base, url, branch } = checkout
  await rm(tree, { recursive: true, force: true })
  await rm(keeper, { recursive: true, force: true })
  await mkdir(dirname(tree), { recursive: true, mode: 0o700 })
  const made = await inOrder([
    () => lend(mirror, tree),
    () =>
      git("local", dirname(tree), ["clone", "--quiet", "--shared", "--no-checkout", "--no-tags", "--", mirror, tree]),
    () => git("local", tree, ["remote", "set-url", "origin", url]),
    () => git("local", tree, ["checkout", "--quiet", "-B", branch, base]),
    () => git("local", tree, ["init", "--quiet", "--bare", keeper]),
  ])
  if (!made.ok) return made
  await writeFile(join(keeper, "objects", "info", "alternates"), `${join(mirror, "objects")}\n`)
  await mkdir(join(keeper, "info"), { recursive: true })
  // Files go in and come out as they are, whatever the attributes of the repository say.
  await writeFile(join(keeper, "info", "attributes"), "* -text -eol -filter -ident -working-tree-encoding\n")
  const run = openRunKeeper(git, checkout)
  const begun = await inOrder([
    () => run(["read-tree", base]),
    () => run(["update-ref", baseRef, base]),
    () => giveAuthor(git, tree),
  ])
  return begun.ok ? ok(undefined) : begun
}

async function lend(mirror: string, tree: string): Promise<Result<string, string>> {
  const file = borrowerFile(mirror, tree)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, tree, { mode: 0o600 })
  return ok("")
}

/** A service often has no author of its own, and a confined session cannot set one: without any, nothing could be committed. */
async function giveAuthor(git: RunGit, tree: string): Promise<Result<string, string>> {
  const missing: (readonly [field: string, value: string])[] = []
  for (const each of Object.entries(ownAuthor)) {
    const known = await git("network", "/", ["config", "--get", each[0]], { env: { GIT_CONFIG_NOSYSTEM: "0" } })
    if (!known.ok || known.value === "") missing.push(each)
  }
  return inOrder(
    missing.map(
      ([field, value]) =>
        () =>
          git("local", tree, ["config", "--local", field, value]),
    ),
  )
}

/** The lane of the files is in the keeper. Returns what stayed behind. */
export async function restoreFiles(git: RunGit, checkout: Checkout): Promise<Result<TreeNote, string>> {
  const { tree, keeper } = checkout
  const run = openRunKeeper(git, checkout)
  const session = (...argv: readonly string[]): Promise<Result<string, string>> => git("local", tree, argv)
  const files = laneRef("files")
  const text = await run(["cat-file", "blob", `${files}:note`])
  if (!text.ok) return text
  const note = decodeNote(text.value)
  if (!note) return failed("what was kept was made by a newer version of Codewright")
  const carried = "refs/codewright/carried"
  const done = await inOrder([
    () => run(["read-tree", "-u", "--reset", `${files}:files`]),
    () => run(["update-ref", carried, `${files}^2`]),
    // The session's own repository gets its commits and what was staged, and nothing else.
    () => session("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", keeper, `${carried}:${carried}`),
    () => setRefs(git, checkout, note),
    () => session("update-ref", "-d", carried),
    () => stage(git, checkout, note.staged),
    () => setAuthor(session, note),
  ])
  return done.ok ? ok(note) : done
}

/** Ignored files, empty folders and permissions: last, because a folder may not be writable. */
export async function restoreRest(
  git: RunGit,
  checkout: Checkout,
  { emptyFolders, modes }: TreeNote,
): Promise<Result<void, string>> {
  const { tree } = checkout
  const run = openRunKeeper(git, checkout)
  const beside = laneRef("beside")
  if ((await run(["rev-parse", "--verify", "--quiet", `${beside}:ignored`])).ok) {
    const put = await checkOut(run, "ignored.index", `${beside}:ignored`)
    if (!put.ok) return put
  }
  for (const folder of emptyFolders.filter(isInside)) await mkdir(join(tree, folder), { recursive: true })
  for (const [path, mode] of modes.toReversed())
    if (isInside(path)) await chmod(join(tree, path), mode).catch(() => undefined)
  return ok(undefined)
}

/** What was kept beside the files, in a folder. */
export async function restoreBeside(git: RunGit, checkout: Checkout, into: string): Promise<Result<void, string>> {
  const run = openRunKeeper(git, checkout)
  const kept = `${laneRef("beside")}:kept`
  if (!(await run(["rev-parse", "--verify", "--quiet", kept])).ok) return ok(undefined)
  await mkdir(into, { recursive: true, mode: 0o700 })
  const put = await inOrder([
    () => run(["read-tree", kept], { index: "beside.index" }),
    () => run([`--work-tree=${into}`, "checkout-index", "--all", "--force"], { index: "beside.index" }),
  ])
  return put.ok ? ok(undefined) : put
}

const checkOut = (run: RunKeeper, index: string, tree: string): Promise<Result<string, string>> =>
  inOrder([() => run(["read-tree", tree], { index }), () => run(["checkout-index", "--all", "--force"], { index })])

/** It was written by a worker, but a name that leads elsewhere is never followed. */
const isInside = (path: string): boolean =>
  !path.startsWith("/") && path.split("/").every((part) => part !== ".." && part !== ".git" && part !== "")

async function setRefs(git: RunGit, { tree }: Checkout, { refs, head }: TreeNote): Promise<Result<string, string>> {
  const isBranch = !/^[0-9a-f]{40,64}$/.test(head)
  // Away from every branch, so that each can be set or removed.
  const detached = await git("local", tree, ["checkout", "--quiet", "--detach"])
  if (!detached.ok) return detached
  const present = await git("local", tree, ["for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"])
  if (!present.ok) return present
  const named = new Set(refs.map(({ name }) => name))
  const gone = present.value.split("\n").filter((name) => name !== "" && !named.has(name))
  const rows = [
    ...gone.map((name) => `delete ${name}\n`),
    ...refs.filter(({ tag }) => tag === undefined).map(({ name, id }) => `update ${name} ${id}\n`),
  ]
  const set = await git("local", tree, ["update-ref", "--stdin"], { input: rows.join("") })
  if (!set.ok) return set
  for (const { name, tag } of refs) {
    if (tag === undefined) continue
    const made = await git("local", tree, ["hash-object", "-t", "tag", "-w", "--stdin"], { input: tag })
    const tagged = made.ok ? await git("local", tree, ["update-ref", name, made.value]) : made
    if (!tagged.ok) return tagged
  }
  return isBranch
    ? git("local", tree, ["symbolic-ref", "HEAD", `refs/heads/${head}`])
    : git("local", tree, ["update-ref", "--no-deref", "HEAD", head])
}

async function stage(git: RunGit, { tree }: Checkout, staged: readonly StagedPath[]): Promise<Result<string, string>> {
  const hasHead = (await git("local", tree, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])).ok
  const read = await git("local", tree, ["read-tree", ...(hasHead ? ["HEAD"] : ["--empty"])])
  if (!read.ok || staged.length === 0) return read
  const none = "0".repeat(staged[0]?.id.length ?? 40)
  const away = (path: string): string => `0 ${none}\t${path}\0`
  const rows = staged.map(({ path, mode, id, stage: at }) =>
    mode === "000000" ? away(path) : `${mode} ${id} ${at}\t${path}\0`,
  )
  // A path with conflicts has no plain entry.
  const conflicts = new Set(staged.flatMap(({ path, stage: at }) => (at > 0 ? [path] : [])))
  const input = [...[...conflicts].map(away), ...rows].join("")
  return git("local", tree, ["update-index", "-z", "--index-info"], { input })
}

export const setAuthor = (
  session: (...argv: readonly string[]) => Promise<Result<string, string>>,
  { author: { name, email } }: Pick<TreeNote, "author">,
): Promise<Result<string, string>> =>
  inOrder([
    ...(name === undefined ? [] : [() => session("config", "--local", "user.name", name)]),
    ...(email === undefined ? [] : [() => session("config", "--local", "user.email", email)]),
  ])
