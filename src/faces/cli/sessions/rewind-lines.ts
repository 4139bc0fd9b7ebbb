/** What `codewright rewind` says: where one can go back to, what that would change, and what it has changed. */

import type { Entry } from "#agent/words/entry.ts"
import type { SessionRow } from "#ground/transcript/catalog.ts"
import type { PreviewFile, RewindPoint, RewindPreview } from "#kits/checkpoints/checkpoints.ts"
import { gapLine, isExcludedLine } from "#kits/checkpoints/words.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"
import { shownIn } from "./read-store.ts"
import { minute } from "./session-line.ts"

type What = "files" | "conversation" | "both"

const mostText = 60
const mostNames = 3

/** The folders that a setting excluded while the session ran, as its log says. */
export const excludedIn = (entries: readonly Entry[]): readonly string[] => [
  ...new Set(
    entries.flatMap((entry) => (entry.kind === "snapshot" ? (entry.uncovered ?? []) : [])).filter(isExcludedLine),
  ),
]

const excludedWords = (excluded: readonly string[]): readonly string[] =>
  excluded.length === 0 ? [] : [`Not covered by undo: ${excluded.map(forConsent).join(", ")}`]

export function pointLines(
  row: SessionRow,
  points: readonly RewindPoint[],
  excluded: readonly string[],
): readonly string[] {
  if (points.length === 0)
    return [
      `The conversation of ${row.id} has no prompt to rewind to.`,
      `To undo the last rewind: codewright rewind ${row.id.slice(0, 8)} --redo`,
    ]
  const digits = String(points.length).length
  return [
    `The prompts of ${row.id}, in ${row.cwd}:`,
    ...points.map(({ at, text, files, uncovered }, index) => {
      const changed = files.length === 0 ? "" : `  [since then ${counted(files.length)} changed: ${named(files)}]`
      const gaps = uncovered.length === 0 ? "" : `  [not covered by undo: ${named(uncovered)}]`
      return `${String(index + 1).padStart(digits + 2)}  ${minute(at)}  ${short(text)}${changed}${gaps}`
    }),
    ...excludedWords(excluded),
    `To rewind to one of them: codewright rewind ${row.id.slice(0, 8)} --to <number>`,
  ]
}

export function previewLines(
  { files, conflicts, uncovered }: RewindPreview,
  { what, left, force }: { readonly what: What; readonly left: number; readonly force: boolean },
): readonly string[] {
  const widest = Math.max(0, ...files.slice(0, mostLines).map(({ path }) => forConsent(path).length))
  const noFiles = uncovered.length === 0 ? "No files would change." : "No files would be restored."
  const by =
    uncovered.length === 0 ? "outside this session" : "outside this session, or by a command without a snapshot"
  return [
    ...(what === "conversation" ? [] : files.length === 0 ? [noFiles] : ["These files would change:"]),
    ...folded(files, (file) => `  ${forConsent(file.path).padEnd(widest)}  ${changeWords(file)}`),
    ...folded(conflicts, (path) =>
      force
        ? `  ${forConsent(path)}: changed ${by}; would be overwritten`
        : `  ${forConsent(path)}: changed ${by}; would be kept (--force to overwrite)`,
    ),
    ...folded(uncovered, (line) => `  not covered, would stay as it is: ${forConsent(line)}`),
    what === "files"
      ? "The conversation would stay as it is."
      : `The conversation would lose its last ${left === 1 ? "prompt" : `${left} prompts`}, until --redo.`,
    "Nothing was changed.",
  ]
}

const verbs: { readonly [change in PreviewFile["change"]]: string } = {
  created: "restored",
  removed: "removed",
  modified: "changes",
  mode: "permissions restored",
}

function changeWords({ change, added, removed, binary }: PreviewFile): string {
  if (change === "mode") return verbs.mode
  return `${verbs[change]} (${binary ? "binary" : `+${added} -${removed}`})`
}

export function restoredLines(
  { files, gaps = [] }: Restored,
  {
    row,
    what,
    isRedo,
    excluded,
  }: {
    readonly row: SessionRow
    readonly what: What
    readonly isRedo: boolean
    readonly excluded: readonly string[]
  },
): readonly string[] {
  const show = shownIn(row.cwd)
  const each = (verb: string, paths: readonly string[]): readonly string[] =>
    folded(paths, (path) => `  ${verb} ${forConsent(show(path))}`)
  const changed = files ? files.written.length + files.removed.length : 0
  const left = leftBehind({ ...optional("files", files), gaps })
  const why = files?.why ?? {}
  const by = gaps.length > 0 ? "outside this session, or by a command without a snapshot" : "outside this session"
  return [
    left === 0
      ? isRedo
        ? "Undid the last rewind."
        : "Rewound."
      : `${isRedo ? "Partly undid the last rewind" : "Partly rewound"}: not everything could be restored.`,
    ...(files ? [...each("restored", files.written), ...each("removed", files.removed)] : []),
    ...folded(
      files?.kept ?? [],
      (path) => `  kept ${forConsent(show(path))}: ${forConsent(why[path] ?? `changed ${by}`)}`,
    ),
    ...gaps.map((gap) => `  not undone, no snapshot: ${forConsent(gapLine(gap))}`),
    ...(changed === 0 && what !== "conversation" ? [left > 0 ? "No files were restored." : "No files changed."] : []),
    ...(what === "conversation" ? [] : excludedWords(excluded)),
    ...(isRedo ? [] : [`To undo this: codewright rewind ${row.id.slice(0, 8)} --redo`]),
  ]
}

/** How many files and calls a rewind could not restore. */
export const leftBehind = ({ files, gaps = [] }: Restored): number => (files?.kept.length ?? 0) + gaps.length

type Restored = Pick<Entry & { readonly kind: "head" }, "files" | "gaps">

/** More lines than anyone reads become a number; --json has them all. */
const mostLines = 100

const folded = <T>(all: readonly T[], line: (one: T) => string): readonly string[] =>
  all.length <= mostLines
    ? all.map(line)
    : [...all.slice(0, mostLines).map(line), `  and ${all.length - mostLines} more (--json for all)`]

const counted = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`

const named = (files: readonly string[]): string => {
  const shown = files.slice(0, mostNames).map(forConsent).join(", ")
  return files.length > mostNames ? `${shown} and ${files.length - mostNames} more` : shown
}

function short(text: string): string {
  const line = forConsent(text.replaceAll(/\s+/g, " ").trim())
  return line.length > mostText ? `${line.slice(0, mostText - 3)}...` : line
}
