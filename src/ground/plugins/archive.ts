/** Archives as trees: tar, with gzip or without, and zip. Unpacked in memory and within limits, whatever their headers claim. */

import { gunzipSync, inflateRawSync } from "node:zlib"
import { failed, ok, type Result } from "#lib/result.ts"
import { mostBytes, openTree, type Tree, type TreeBuilder } from "./tree.ts"

/** The failure continues the sentence "It cannot be used: ". */
export function treeOfArchive(archive: Uint8Array): Result<Tree, string> {
  try {
    if (archive[0] === 0x1f && archive[1] === 0x8b)
      return treeOfTar(gunzipSync(archive, { maxOutputLength: mostBytes + tarRoom }))
    if (archive[0] === 0x50 && archive[1] === 0x4b) return treeOfZip(Buffer.from(archive))
    return treeOfTar(Buffer.from(archive))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed(
      /larger than|maxOutputLength|ERR_BUFFER_TOO_LARGE/.test(why) ? tooLarge : `the archive is broken (${why})`,
    )
  }
}

const tooLarge = `the archive unpacks to more than ${mostBytes / 1e6} MB`
/** Headers and padding of as many files as there may be. */
const tarRoom = 40_000_000
const block = 512

/** A single folder at the top, as archives of releases and npm have, is left out. */
export function withoutTopFolder(tree: Tree): Tree {
  const tops = new Set([...tree.keys()].map((path) => path.slice(0, path.indexOf("/") + 1)))
  const [top = ""] = tops
  if (tops.size !== 1 || top === "") return tree
  return new Map([...tree].map(([path, node]) => [path.slice(top.length), node]))
}

function treeOfTar(tar: Buffer): Result<Tree, string> {
  const builder = openTree()
  let more: { path?: string; link?: string } = {}
  for (let at = 0; at + block <= tar.length && tar[at] !== 0;) {
    const header = tar.subarray(at, at + block)
    const size = sizeIn(header)
    if (size === undefined || at + block + size > tar.length) return failed("the archive is broken")
    const content = tar.subarray(at + block, at + block + size)
    at += block + Math.ceil(size / block) * block
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === "L" || type === "K" || type === "x") {
      Object.assign(more, longNames(type, content))
      continue
    }
    const path = more.path ?? nameIn(header)
    const added = addEntry(builder, { type, path, link: more.link ?? textIn(header, 157, 100), header, content })
    if (!added.ok) return added
    more = {}
  }
  return ok(builder.tree())
}

interface TarEntry {
  readonly type: string
  readonly path: string
  readonly link: string
  readonly header: Buffer
  readonly content: Buffer
}

function addEntry(builder: TreeBuilder, { type, path, link, header, content }: TarEntry): Result<void, string> {
  switch (type) {
    case "0":
    case "\0":
    case "7":
      return builder.add(path, {
        kind: "file",
        bytes: content,
        executable: (Number.parseInt(textIn(header, 100, 8), 8) & 0o111) !== 0,
      })
    case "2":
      return builder.add(path, { kind: "link", target: link })
    case "1": {
      // A hard link names its file from the top of the archive.
      const up = "../".repeat(path.split("/").filter((step) => step !== "" && step !== ".").length - 1)
      return builder.add(path, { kind: "link", target: `${up}${link}` })
    }
    case "5":
    // The comment of git, with the commit.
    case "g":
      return ok(undefined)
    default:
      return failed(`${path} is neither a file nor a folder`)
  }
}

function longNames(type: string, content: Buffer): { readonly path?: string; readonly link?: string } {
  if (type !== "x") {
    const text = content.toString("utf8").split("\0", 1)[0] ?? ""
    return type === "L" ? { path: text } : { link: text }
  }
  const found: { path?: string; link?: string } = {}
  for (let at = 0; at < content.length;) {
    const length = Number.parseInt(content.toString("latin1", at, at + 12), 10)
    if (!(length > 0)) break
    const record = content.toString("utf8", at, at + length - 1)
    const [, key, value] = /^\d+ ([^=]+)=([\s\S]*)$/.exec(record) ?? []
    if (key === "path" && value !== undefined) found.path = value
    if (key === "linkpath" && value !== undefined) found.link = value
    at += length
  }
  return found
}

/** Numbers in octal, or the base-256 form, which only files beyond the limit need. */
function sizeIn(header: Buffer): number | undefined {
  if ((header[124] ?? 0) >= 0x80) return undefined
  const size = Number.parseInt(textIn(header, 124, 12).trim() || "0", 8)
  return Number.isSafeInteger(size) && size >= 0 ? size : undefined
}

function nameIn(header: Buffer): string {
  const prefix = header.toString("latin1", 257, 262) === "ustar" ? textIn(header, 345, 155) : ""
  const name = textIn(header, 0, 100)
  return prefix === "" ? name : `${prefix}/${name}`
}

const textIn = (buffer: Buffer, at: number, length: number): string =>
  buffer.toString("utf8", at, at + length).split("\0", 1)[0] ?? ""

function treeOfZip(zip: Buffer): Result<Tree, string> {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"))
  if (end === -1) return failed("the archive is broken")
  const builder = openTree()
  let left = mostBytes
  let at = zip.readUInt32LE(end + 16)
  for (let count = zip.readUInt16LE(end + 10); count > 0; count--) {
    if (zip.readUInt32LE(at) !== 0x02014b50) return failed("the archive is broken")
    const [method, packed] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)]
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ]
    const mode = zip.readUInt32LE(at + 38) >>> 16
    const local = zip.readUInt32LE(at + 42)
    const path = zip.toString("utf8", at + 46, at + 46 + nameLength)
    at += 46 + nameLength + extra + comment
    if (path.endsWith("/")) continue
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const data = zip.subarray(from, from + packed)
    if (method !== 0 && method !== 8) return failed(`${path} is compressed in an unknown way`)
    const bytes = method === 0 ? data : inflateRawSync(data, { maxOutputLength: Math.max(1, left) })
    left -= bytes.length
    if (left < 0) return failed(tooLarge)
    const kind = mode & 0o170000
    if (kind !== 0 && kind !== 0o100000 && kind !== 0o120000) return failed(`${path} is neither a file nor a folder`)
    const added = builder.add(
      path,
      kind === 0o120000
        ? { kind: "link", target: bytes.toString("utf8") }
        : { kind: "file", bytes, executable: (mode & 0o111) !== 0 },
    )
    if (!added.ok) return added
  }
  return ok(builder.tree())
}
