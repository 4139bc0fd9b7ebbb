/** What edits would do to a file, computed before anything is written: shared by all tools that replace text. */

import type { FileDiff } from "#agent/words/display.ts"
import type { Complaint } from "#agent/words/tool.ts"
import { say } from "#ground/workspace/failure.ts"
import type { Identity } from "#ground/workspace/identity.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Place, Places } from "#ground/workspace/places.ts"
import { plainShape, type TextShape } from "#ground/workspace/text.ts"
import { hunksOf } from "#lib/diff.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { lineAt } from "./changed-lines.ts"
import { fileComplaint } from "./complaint.ts"
import { closestPassage } from "./closest.ts"
import { currentFile, encodeText, type FileGround } from "./current-file.ts"
import { type MatchKind, planEdit, type Region } from "./match.ts"
import { linesOf, numbered } from "./numbered.ts"

export interface EditGround extends FileGround {
  readonly paths: Paths
  readonly places: Places
}

export interface TextEdit {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all: boolean
}

/** A file being edited: what is on disk, and what it would become. */
export interface Draft {
  readonly place: Place
  readonly before: string
  readonly after: string
  readonly shape: TextShape
  readonly over: Identity | "nothing"
}

export interface EditedDraft {
  readonly draft: Draft
  readonly regions: readonly Region[]
  readonly how: MatchKind
}

export async function openDraft(
  ground: EditGround,
  place: Place,
  signal: AbortSignal,
): Promise<Result<Draft, Complaint>> {
  const file = await currentFile(ground, place.real, signal)
  if (!file.ok) return failed(fileComplaint(file.failure))
  if (file.value === "absent") return ok({ place, before: "", after: "", shape: plainShape, over: "nothing" })
  const { text, encoding, bom, identity } = file.value
  return ok({ place, before: text, after: text, shape: { encoding, bom }, over: identity })
}

export function editDraft(
  ground: EditGround,
  draft: Draft,
  { old_string: from, new_string: to, replace_all }: TextEdit,
): Result<EditedDraft, Complaint> {
  const { path, real } = draft.place
  const text = draft.after
  if (from === to)
    return failed({
      message: "old_string and new_string are the same, so nothing would change.",
      shown: "The edit changes nothing",
    })
  if (from === "") {
    if (text !== "")
      return failed({
        message: `${path} is not empty. Give the text to replace as old_string, or use Write.`,
        shown: "The file is not empty",
      })
    return ok({ draft: { ...draft, after: to }, regions: [{ start: 0, end: to.length }], how: "exact" })
  }
  if (draft.over === "nothing" && text === "")
    return failed({ message: sayMissing(ground, real), shown: "File not found" })
  const plan = planEdit(text, { from, to, which: replace_all ? "all" : "only" })
  switch (plan.kind) {
    case "none":
      return failed({ message: notFound(path, text, from, to), shown: "The text to replace is not in the file" })
    case "many":
      return failed({
        message:
          `old_string occurs ${plan.offsets.length} times in ${path} (lines ${lineNumbers(text, plan.offsets)}). ` +
          `Give more of its surroundings, or set replace_all to change them all.`,
        shown: `The text to replace occurs ${plan.offsets.length} times in the file`,
      })
    case "edit":
      if (plan.text === text)
        return failed({
          message: "The edit would change nothing: only line ends or spaces differ.",
          shown: "The edit changes nothing but line ends or spaces",
        })
      return ok({ draft: { ...draft, after: plan.text }, regions: plan.regions, how: plan.how })
  }
}

export interface ReadyDraft extends Draft {
  readonly bytes: Buffer
}

export function encodeDraft(draft: Draft): Result<ReadyDraft, Complaint> {
  const bytes = encodeText({ real: draft.place.real, text: draft.after, shape: draft.shape })
  return bytes.ok ? ok({ ...draft, bytes: bytes.value }) : failed(fileComplaint(bytes.failure))
}

export async function drawn({ place, before, after, over }: Draft): Promise<FileDiff & { readonly kind: "diff" }> {
  return { kind: "diff", path: place.path, hunks: await hunksOf(before, after), created: over === "nothing" }
}

/** Reports a missing file. This comes before any permission, so similar files are named only below the working folder. */
export function sayMissing({ files, paths }: EditGround, real: string): string {
  const state = paths.show(real) === real ? undefined : files.stat(real)
  return say(state === undefined || state.ok ? { kind: "not_found", path: real, near: [] } : state.failure)
}

function notFound(path: string, text: string, from: string, to: string): string {
  const lines = linesOf(text)
  const passage = closestPassage(lines, linesOf(from))
  if (to !== "" && text.includes(to))
    return `old_string is not in ${path}, but new_string is: the edit seems to be made already. Read the file to make sure.`
  if (passage === undefined)
    return `old_string is not in ${path}, nor is anything like it. Read the file again and copy the text exactly.`
  return `old_string is not in ${path}. The closest passage is:\n${numbered(passage.lines, passage.first)}\nCopy the text exactly as it is there, without the line numbers.`
}

function lineNumbers(text: string, offsets: readonly number[]): string {
  const shown = offsets.slice(0, 10).map((offset) => lineAt(text, offset))
  return `${shown.join(", ")}${offsets.length > shown.length ? ", …" : ""}`
}
