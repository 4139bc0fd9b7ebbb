/** What agents changed in a session, as people review it: files, their parts, and what somebody said about lines of them. See decision 155. */

import type { ReviewHunk, ReviewFile } from "#kits/checkpoints/checkpoints.ts"
import { digestOf } from "#lib/digest.ts"
import { firstChangedLine, type Hunk, hunksInPatch } from "#lib/diff.ts"

export interface ChangedPart extends Pick<ReviewHunk, "id" | "state"> {
  /** Of the first changed line, where it has lines of its own. */
  readonly line?: number
}

/** A hunk, and the part that is kept or undone with it: several have the same one where only the whole file can be. */
export interface ChangedHunk extends Hunk {
  readonly part: string
}

export interface ChangedFile extends Pick<ReviewFile, "path" | "change" | "added" | "removed" | "binary"> {
  /** The same while its path is. */
  readonly id: string
  /** Another one when anything in it has changed. */
  readonly version: string
  readonly parts: readonly ChangedPart[]
  /** How many lines its hunks have, and how many hunks there are. */
  readonly lines: number
  readonly hunks: number
  /** Lines that are too many to be kept. */
  readonly unshown?: number
}

/** A file with its hunks, as they are kept. */
export interface FileReview {
  readonly file: ChangedFile
  readonly hunks: readonly ChangedHunk[]
}

export interface ChangesSummary {
  readonly files: number
  readonly added: number
  readonly removed: number
}

export interface KnownChanges extends ChangesSummary {
  readonly at: number
  /** Another one each time they are read, and larger. */
  readonly revision: string
  /** Something in the log since then may have changed files. */
  readonly isStale: boolean
}

/** A branch that somebody had pushed, and the pull request for it. */
export interface PublishedWork {
  readonly branch: string
  readonly commit: string
  readonly at: number
  readonly pull?: { readonly url: string; readonly number: number }
}

export interface LinePlace {
  readonly path: string
  readonly side: "old" | "new"
  readonly line: number
  /** The lines as they were shown. */
  readonly quote: string
}

/** What somebody said about the session or about a line; the model gets it when it is sent. */
export interface SessionComment {
  readonly id: string
  readonly by: string
  readonly at: number
  readonly text: string
  readonly place?: LinePlace
  readonly sentAt?: number
}

export type NewComment = Omit<SessionComment, "at" | "sentAt">

const [mostLineCharacters, mostFileLines, mostFileCharacters, mostCharacters, mostFiles] = [
  2_000, 100_000, 8_000_000, 80_000_000, 20_000,
]

/** The files of a review within bounds: what is beyond is counted. */
export function* reviewedFiles(files: readonly ReviewFile[]): Generator<FileReview> {
  let room = mostCharacters
  for (const file of files.slice(0, mostFiles)) {
    const cut = withinBounds(hunksOf(file), Math.min(room, mostFileCharacters))
    room -= cut.characters
    const { path, change, added, removed, binary } = file
    const parts = file.hunks.map(({ id, state, hunk }) => ({
      id,
      state,
      ...(hunk && { line: firstChangedLine(hunk) }),
    }))
    const about = { path, change, added, removed, binary, parts }
    yield {
      hunks: cut.hunks,
      file: {
        ...about,
        id: digestOf(path).slice(0, 24),
        version: digestOf([about, cut.hunks]).slice(0, 16),
        lines: cut.hunks.reduce((sum, { lines }) => sum + lines.length, 0),
        hunks: cut.hunks.length,
        ...(cut.unshown > 0 && { unshown: cut.unshown }),
      },
    }
  }
}

export const summaryOf = (files: readonly Pick<ReviewFile, "added" | "removed">[]): ChangesSummary => ({
  files: Math.min(files.length, mostFiles),
  added: files.reduce((sum, { added }) => sum + added, 0),
  removed: files.reduce((sum, { removed }) => sum + removed, 0),
})

/** A file that came or went has one part, and its lines are in the patch. */
function hunksOf({ hunks, patch }: ReviewFile): readonly ChangedHunk[] {
  const own = hunks.flatMap(({ id, hunk }) => (hunk ? [{ ...hunk, part: id }] : []))
  const whole = hunks.find(({ hunk }) => hunk === null)
  return whole ? [...hunksInPatch(patch).map((hunk) => ({ ...hunk, part: whole.id })), ...own] : own
}

function withinBounds(
  hunks: readonly ChangedHunk[],
  most: number,
): { readonly hunks: readonly ChangedHunk[]; readonly characters: number; readonly unshown: number } {
  const kept: ChangedHunk[] = []
  let [characters, lines, unshown] = [0, 0, 0]
  for (const hunk of hunks) {
    const shown: string[] = []
    for (const line of hunk.lines) {
      const cut = line.length > mostLineCharacters ? `${line.slice(0, mostLineCharacters)}…`.toWellFormed() : line
      if (lines >= mostFileLines || characters + cut.length > most) {
        unshown++
        continue
      }
      characters += cut.length
      lines++
      shown.push(cut)
    }
    if (shown.length > 0) kept.push({ ...hunk, lines: shown })
  }
  return { hunks: kept, characters, unshown }
}

/** One page of a file's lines, with the numbers that they have in the file. `next` is the `from` of the page after it. */
export function pageOfHunks(
  hunks: readonly ChangedHunk[],
  from: number,
  most: number,
): { readonly hunks: readonly ChangedHunk[]; readonly next?: number } {
  const page: ChangedHunk[] = []
  let at = 0
  for (const hunk of hunks) {
    const [start, end] = [Math.max(0, from - at), Math.min(hunk.lines.length, from + most - at)]
    if (start < end) page.push(sliceOf(hunk, start, end))
    at += hunk.lines.length
  }
  return { hunks: page, ...(from + most < at && { next: from + most }) }
}

function sliceOf(hunk: ChangedHunk, start: number, end: number): ChangedHunk {
  if (start === 0 && end === hunk.lines.length) return hunk
  const before = hunk.lines.slice(0, start)
  const lines = hunk.lines.slice(start, end)
  const count = (some: readonly string[], other: string): number =>
    some.filter((line) => !line.startsWith(other)).length
  return {
    part: hunk.part,
    oldStart: hunk.oldStart + count(before, "+"),
    newStart: hunk.newStart + count(before, "-"),
    oldLines: count(lines, "+"),
    newLines: count(lines, "-"),
    lines,
  }
}

/** Comments as one prompt: where each of them is, what is there, and what was said. */
export function commentsPrompt(comments: readonly SessionComment[], note: string): string {
  const said = comments.map(({ by, text, place }, nth) => {
    const where = place
      ? `${place.path}, line ${place.line}${place.side === "old" ? " before the change" : ""}`
      : "In general"
    const quote = place && place.quote !== "" ? `\n${place.quote.replace(/^/gm, "> ")}` : ""
    return `${nth + 1}. ${where} (${by}):${quote}\n${text}`
  })
  const about = note.trim() === "" ? "Review comments on the changes so far. Address each of them." : note.trim()
  return [about, ...said].join("\n\n")
}
