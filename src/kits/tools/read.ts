/** Reads a file for the model: text by lines, and images, PDFs and notebooks in their own form. */

import { extname } from "node:path"
import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { reads } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { type FileContent, type Files, hashOf } from "#ground/workspace/files.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Place, Places } from "#ground/workspace/places.ts"
import { isSurelyUnchanged, type LineRange, type Stamps } from "#ground/workspace/stamps.ts"
import { decode } from "#ground/workspace/text.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { fileComplaint, refusedFile } from "./complaint.ts"
import { counted } from "./counted.ts"
import { firstLine, lineLimit, linesOf, numbered } from "./numbered.ts"
import { shownPath } from "./shown-path.ts"

export interface ReadGround {
  /** Also what was shown before: whoever reads may not have it any more. */
  readonly shows?: "everything" | undefined
  readonly files: Files
  readonly stamps: Stamps
  readonly paths: Paths
  readonly places: Places
}

const mostLines = 2000
const mostTokens = 25_000
/** Files up to this size are read whole, so that changes can be detected by content; larger ones by pages. */
const heldBytes = 10_000_000
const countBytes = 64_000_000
const mediaBytes = 64_000_000

export interface ReadInput {
  readonly file_path: string
  readonly offset?: number | undefined
  readonly limit?: number | undefined
  readonly pages?: string | undefined
}

const input = shape.object({
  file_path: shape.string().describe("Path of the file"),
  offset: shape.int().optional().describe("First line to read, counted from 1; negative: from the end"),
  limit: shape.int().min(1).optional().describe("How many lines to read"),
  pages: shape.string().optional().describe('Pages of a PDF as text: "3" or "1-5"'),
})

export const readTool = (ground: ReadGround): Tool<ReadInput> =>
  defineTool({
    name: "Read",
    gathers: "file",
    description,
    input,
    title: ({ file_path }) => `Read ${shownPath(ground.paths, file_path)}`,
    footprint: (call) => reads(ground.places.declare(call, call.file_path)),
    validate: async ({ file_path }) => {
      const path = ground.paths.resolve(file_path)
      return path.ok ? undefined : fileComplaint(path.failure)
    },
    maxResultChars: mostTokens * 4 + 20_000,
    async run(call, { signal }) {
      const place = ground.places.toOpen(call, call.file_path)
      if (!place.ok) return refusedFile(place.failure)
      const range: LineRange = { offset: call.offset || 1, limit: call.limit, pages: call.pages }
      if (isUnchanged(ground, place.value, range)) return unchanged(place.value)
      const special = specialOf(place.value.path)
      if (call.pages !== undefined && special !== "pdf")
        return refused(`${place.value.path} has no pages: that is for PDF files. Use offset and limit.`)
      if (special) return readSpecial(ground, place.value, range, special, signal)
      return readText(ground, place.value, range, signal)
    },
  })

const description = `Reads a file and shows its lines with their numbers.
- Paths may be absolute, relative to the working folder, or start with ~.
- Up to ${mostLines} lines from the start; for longer files give offset and limit. Offset -50 shows the last 50 lines. Lines over ${lineLimit} characters are cut.
- Also shows images (png, jpg, gif, webp), PDF files (over 10 pages: name them with pages, 20 at most a call), and notebooks (.ipynb) with their outputs.
- Read a file before you propose or make changes to it.
- It reads files, not folders: use LS or Glob for those.`

type Special = "image" | "pdf" | "notebook"

const specials: Readonly<Record<string, Special>> = {
  ".png": "image",
  ".jpg": "image",
  ".jpeg": "image",
  ".gif": "image",
  ".webp": "image",
  ".pdf": "pdf",
  ".ipynb": "notebook",
}

const specialOf = (path: string): Special | undefined => specials[extname(path).toLowerCase()]

async function readText(ground: ReadGround, place: Place, range: LineRange, signal: AbortSignal): Promise<Outcome> {
  const content = await ground.files.read(place.real, heldBytes, signal)
  if (!content.ok && content.failure.kind === "too_large") return readPage(ground, place, range, signal)
  if (!content.ok) return refusedFile(content.failure)
  return showText(ground, place, range, content.value)
}

function showText(ground: ReadGround, place: Place, range: LineRange, content: FileContent): Outcome {
  const decoded = decode(content.bytes)
  if (!decoded.ok) return refusedFile({ kind: "binary", path: place.path })
  const { text } = decoded.value
  const lines = linesOf(text)
  const first = firstLine(range, lines.length)
  const page = lines.slice(first - 1, first - 1 + (range.limit ?? mostLines))
  const hash = hashOf(content.bytes)
  const last = ground.stamps.get(place.real)
  const isKnown = ground.shows !== "everything" && last?.hash === hash && isSameRange(last.shown, range)
  const outcome = isKnown ? unchanged(place) : showPage(place, first, page, { total: lines.length, isCounted: true })
  if (!outcome.isError)
    ground.stamps.put(place.real, { identity: content.identity, at: content.at, hash, text, shown: range })
  return outcome
}

/** For a file too large to keep: only the requested lines are kept. */
async function readPage(ground: ReadGround, place: Place, range: LineRange, signal: AbortSignal): Promise<Outcome> {
  const pageFrom = (offset: number, limit: number) =>
    ground.files.readLines(place.real, { offset, limit, lineLimit, countBytes }, signal)
  let first = range.offset
  if (first < 0) {
    const counting = await pageFrom(1, 1)
    if (!counting.ok) return refusedFile(counting.failure)
    if (!counting.value.isCounted)
      return refused(`${place.path} is too large to count its lines from the end. Use \`tail\` in Bash.`)
    first = firstLine(range, counting.value.totalLines)
  }
  const read = await pageFrom(first, range.limit ?? mostLines)
  if (!read.ok) return refusedFile(read.failure)
  const { lines, totalLines, isCounted, identity, at } = read.value
  const outcome = showPage(place, first, lines, { total: totalLines, isCounted })
  if (!outcome.isError) ground.stamps.put(place.real, { identity, at, hash: undefined, text: undefined, shown: range })
  return outcome
}

function showPage(
  { path }: Place,
  offset: number,
  page: readonly string[],
  { total, isCounted }: { readonly total: number; readonly isCounted: boolean },
): Outcome {
  const file = { filePath: path, content: page.join("\n"), numLines: page.length, startLine: offset, totalLines: total }
  const data = { type: "text", file }
  if (total === 0) return answered(`${path} exists and is empty.`, { data, display: { kind: "text", text: "empty" } })
  if (page.length === 0)
    return refused(
      `${path} has only ${counted(total, "line")}; there is nothing from line ${offset} on. Use a smaller offset.`,
    )
  const body = numbered(page, offset)
  const tokens = estimateTokens(body)
  if (tokens > mostTokens)
    return refused(
      `That part of ${path} is too long to show: about ${tokens} tokens, the limit is ${mostTokens}. ` +
        `It has ${isCounted ? "" : "more than "}${total} lines. Read less at a time with offset and limit, or find the place with Grep.`,
    )
  const last = offset + page.length - 1
  const rest =
    last < total || !isCounted
      ? `\n\n[Lines ${offset} to ${last} of ${isCounted ? total : `more than ${total}`}. Continue with offset ${last + 1}.]`
      : ""
  return answered(body + rest, { data, display: { kind: "text", text: counted(page.length, "line") } })
}

async function readSpecial(
  ground: ReadGround,
  place: Place,
  range: LineRange,
  special: Special,
  signal: AbortSignal,
): Promise<Outcome> {
  const content = await ground.files.read(place.real, mediaBytes, signal)
  if (!content.ok) return refusedFile(content.failure)
  const { bytes, identity, at } = content.value
  const outcome = await showSpecial(place.path, bytes, special, range, signal)
  // A file that is not what its name says, such as a pointer to a stored image, is shown as text if possible.
  if (outcome === undefined) return showText(ground, place, range, content.value)
  const text = special === "notebook" ? bytes.toString("utf8") : undefined
  if (!outcome.isError) ground.stamps.put(place.real, { identity, at, hash: hashOf(bytes), text, shown: range })
  return outcome
}

/** Each kind is rarely needed and has its own code, so it is loaded on demand. */
async function showSpecial(path: string, bytes: Buffer, special: Special, range: LineRange, signal: AbortSignal) {
  switch (special) {
    case "image":
      return (await import("./read-image.ts")).readImage(path, bytes)
    case "pdf":
      return (await import("./read-pdf.ts")).readPdf(path, bytes, range.pages, signal)
    case "notebook":
      return (await import("./read-notebook.ts")).readNotebook(path, bytes, range)
  }
}

/** Whether the model already has exactly this in context, checked without opening the file. */
function isUnchanged({ files, stamps, shows }: ReadGround, { real }: Place, range: LineRange): boolean {
  if (shows === "everything") return false
  const stamp = stamps.get(real)
  if (stamp === undefined || !isSameRange(stamp.shown, range)) return false
  const state = files.stat(real)
  return state.ok && isSurelyUnchanged(stamp, state.value.identity)
}

const isSameRange = (a: LineRange | undefined, b: LineRange): boolean =>
  a?.offset === b.offset && a.limit === b.limit && a.pages === b.pages

const unchanged = ({ path }: Place): Outcome =>
  answered(`${path} is unchanged since your last read of these lines; what you were shown then still holds.`, {
    data: { type: "file_unchanged", file: { filePath: path } },
    display: { kind: "text", text: "unchanged" },
  })
