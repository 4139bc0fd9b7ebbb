/** Files that were fetched and belong to nobody yet: held as data, so that nothing in them can touch the disk before it was judged. */

import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, posix } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"

export type TreeNode =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly executable: boolean }
  /** `target` as written, relative to the folder that the link is in. */
  | { readonly kind: "link"; readonly target: string }

/** By path, with `/`, relative to the root, without `.` and `..`. */
export type Tree = ReadonlyMap<string, TreeNode>

export interface TreeFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable: boolean
}

const mostFiles = 20_000
export const mostBytes = 200_000_000
const longestPath = 500
const deepest = 40

/** Collects nodes within the limits. The failures continue the sentence "It cannot be used: ". */
export interface TreeBuilder {
  readonly add: (path: string, node: TreeNode) => Result<void, string>
  readonly tree: () => Tree
}

export function openTree(): TreeBuilder {
  const nodes = new Map<string, TreeNode>()
  const folded = new Map<string, string>()
  let bytes = 0
  return {
    add(written, node) {
      const path = plainPath(written)
      if (path === undefined) return failed(`the path ${JSON.stringify(written)} leaves the folder or has hidden parts`)
      // On a disk that ignores case the second would replace the first after it was looked at.
      const twin = folded.get(path.normalize("NFC").toLowerCase())
      if (twin !== undefined && twin !== path) return failed(`${path} and ${twin} differ only in how they are written`)
      if (nodes.has(path)) return failed(`${path} is there twice`)
      bytes += node.kind === "file" ? node.bytes.length : node.target.length
      if (bytes > mostBytes) return failed(`it is larger than ${mostBytes / 1e6} MB`)
      if (nodes.size >= mostFiles) return failed(`it has more than ${mostFiles} files`)
      nodes.set(path, node)
      folded.set(path.normalize("NFC").toLowerCase(), path)
      return ok(undefined)
    },
    tree: () => nodes,
  }
}

/** Undefined if it is absolute, leads up, is too long, or has characters that hide something. */
export function plainPath(written: string): string | undefined {
  if (written.length > longestPath || hiding.test(written) || written.includes("\\")) return undefined
  if (written.startsWith("/") || /^[A-Za-z]:/.test(written)) return undefined
  const steps = written.split("/").filter((step) => step !== "" && step !== ".")
  if (steps.length === 0 || steps.length > deepest || steps.includes("..")) return undefined
  return steps.join("/")
}

const hiding = /\p{Cc}|\p{Cf}|[\u2028\u2029\u3164\u115f\u1160\uffa0]/u

/** Repositories, and what machines make of sources, are no part of a plugin. */
const skipped: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".DS_Store"])

/** A folder of this machine as it is now. Links stay links; pipes, sockets and devices are refused. */
export function treeOfFolder(root: string): Result<Tree, string> {
  const builder = openTree()
  const walk = (folder: string, prefix: string): Result<void, string> => {
    for (const name of readdirSync(folder).toSorted()) {
      if (skipped.has(name)) continue
      const [whole, path] = [join(folder, name), prefix + name]
      const stat = lstatSync(whole)
      if (stat.isDirectory()) {
        const below = walk(whole, `${path}/`)
        if (!below.ok) return below
        continue
      }
      if (stat.size > mostBytes) return failed(`${path} is larger than ${mostBytes / 1e6} MB`)
      const node: TreeNode | undefined = stat.isSymbolicLink()
        ? { kind: "link", target: readlinkSync(whole) }
        : stat.isFile()
          ? { kind: "file", bytes: plainBytes(whole), executable: (stat.mode & 0o111) !== 0 }
          : undefined
      if (!node) return failed(`${path} is neither a file nor a folder`)
      const added = builder.add(path, node)
      if (!added.ok) return added
    }
    return ok(undefined)
  }
  try {
    const walked = walk(root, "")
    return walked.ok ? ok(builder.tree()) : walked
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/** What was a file a moment ago may be a pipe by now, which would never end. */
function plainBytes(path: string): Uint8Array {
  const descriptor = openSync(path, "r")
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${path} is no plain file`)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The files below a folder of the tree, with links replaced by what they lead to. A link may lead to anything in the
 * tree, which was fetched as one, and to nothing else.
 */
export function filesBelow(tree: Tree, folder: string): Result<readonly TreeFile[], string> {
  const prefix = folder === "" || folder === "." ? "" : `${plainPath(folder) ?? "\0"}/`
  const files: TreeFile[] = []
  let bytes = 0
  const addFile = (path: string, node: TreeNode & { readonly kind: "file" }): Result<void, string> => {
    bytes += node.bytes.length
    if (files.length >= mostFiles || bytes > mostBytes) return failed("its links multiply it beyond every limit")
    files.push({ path, bytes: node.bytes, executable: node.executable })
    return ok(undefined)
  }
  const place = (path: string, at: string, hops: number): Result<void, string> => {
    const node = tree.get(at)
    if (node?.kind === "file") return addFile(path, node)
    if (node?.kind === "link") {
      const target = targetOf(at, node.target)
      if (target === undefined || hops === 0) return failed(`the link ${at} leads out of its folder`)
      return place(path, target, hops - 1)
    }
    const below = at === "" ? "" : `${at}/`
    const inside = [...tree.keys()].filter((key) => key.startsWith(below))
    if (inside.length === 0) return failed(`the link ${at} leads to nothing that came with it`)
    // A folder that contains the link would contain itself.
    if (path.startsWith(below) || below === "") return failed(`the link to ${at} leads around in a circle`)
    for (const key of inside) {
      const placed = place(`${path}/${key.slice(below.length)}`, key, hops - 1)
      if (!placed.ok) return placed
    }
    return ok(undefined)
  }
  for (const [path, node] of tree) {
    if (!path.startsWith(prefix)) continue
    const own = path.slice(prefix.length)
    const placed = node.kind === "file" ? addFile(own, node) : place(own, path, mostHops)
    if (!placed.ok) return placed
  }
  return ok(files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
}

const mostHops = 8

function targetOf(link: string, target: string): string | undefined {
  if (target.startsWith("/") || hiding.test(target) || target.includes("\\")) return undefined
  const joined = posix.normalize(posix.join(posix.dirname(link), target)).replace(/\/$/, "")
  if (joined === ".") return ""
  return joined === ".." || joined.startsWith("../") ? undefined : joined
}

/** The folder must not exist yet. Nothing in it is a link, so nothing is written elsewhere. */
export function writeFiles(folder: string, files: readonly TreeFile[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const made = new Set<string>()
  for (const { path, bytes, executable } of files) {
    const whole = join(folder, path)
    const parent = dirname(whole)
    if (!made.has(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 })
    made.add(parent)
    writeFileSync(whole, bytes, { flag: "wx", mode: executable ? 0o700 : 0o600 })
  }
}

export type FileDigests = Readonly<Record<string, string>>

/** By path. */
export const digestsOf = (files: readonly TreeFile[]): FileDigests =>
  Object.fromEntries(files.map(({ path, bytes, executable }) => [path, fileDigest(bytes, executable)]))

export const fileDigest = (bytes: Uint8Array, executable: boolean): string =>
  `${executable ? "x" : "-"}${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}`

/** Of names, contents and which files may be run. */
export const treeDigest = (digests: FileDigests): string =>
  new Bun.CryptoHasher("sha256")
    .update(JSON.stringify(Object.entries(digests).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest("hex")
