/** What a question about a call shows besides the call itself, and what an answer may include: for those who decide outside of a terminal. */

import type { AskingAgent } from "#agent/words/child.ts"
import type { Display, FileDiff } from "#agent/words/display.ts"
import { isEdit } from "#agent/words/footprint.ts"
import { isReview } from "#agent/words/gates.ts"
import type { GrantDestination, PermissionMode } from "#agent/words/permission.ts"
import { offeredRules, type Question, type QuestionPart } from "#agent/words/question.ts"
import { optional } from "#lib/optional.ts"

export interface ApprovalDetails {
  /** Names the action. */
  readonly question?: string
  /** The working folder of a command. */
  readonly cwd?: string
  /** What it would do; if that is too large it is left out, because the input says it too. New files are cut: no input says what is in them. */
  readonly display?: Display
  /** How the tool differs from the one that was allowed before. */
  readonly change?: FileDiff
  /** The parts of a command: which need consent, and what covers the others. */
  readonly parts?: readonly QuestionPart[]
  readonly undo?: "rewind" | "never"
  /** Rules that a yes may save so that the same is not asked again; one for the whole action, or one for each of its parts. */
  readonly rules?: readonly string[]
  /** Where they may be saved. */
  readonly destinations?: readonly GrantDestination[]
  /** Whose the working folder is: `own` if nothing but this session uses it. Others use it too when absent. */
  readonly folder?: "own" | "shared"
  /** The mode that a yes may switch to, in which edits like this are not asked about. */
  readonly mode?: PermissionMode
  /** Folders that a yes may add to the workspace. */
  readonly folders?: readonly string[]
  /** It has been done, and what it created is looked at: a no removes the files unless it keeps them. */
  readonly review?: true
  readonly agent?: AskingAgent
}

/** An inbox has many of them. */
const mostDisplay = 64_000

/** Nothing for questions whose action says everything. */
export function detailsOf({ ask, agent }: Pick<Question, "ask" | "agent">): ApprovalDetails | undefined {
  if (ask.kind !== "permission") return agent && { agent }
  const { question, cwd, display, change, parts, undo, destinations = [], footprint, suggestions } = ask
  const rules = offeredRules(ask)
  return {
    ...optional("question", question),
    ...optional("cwd", cwd),
    ...optional("display", display && (isSmall(display) ? display : isReview(ask) ? cut(display) : undefined)),
    ...optional("change", change && isSmall(change) ? change : undefined),
    ...optional("parts", parts),
    ...optional("undo", undo),
    ...(destinations.length > 0 && rules.length > 0 && { rules, destinations }),
    ...optional("mode", isEdit(footprint) ? suggestions?.mode : undefined),
    ...optional("folders", suggestions?.folders),
    ...(isReview(ask) && { review: true }),
    ...optional("agent", agent),
  }
}

/** Every file has the same share, so that a large one does not hide the others. */
function cut(display: Display): Display | undefined {
  if (display.kind === "diff") return { ...display, ...cutFile(display, mostDisplay) }
  if (display.kind !== "diffs") return undefined
  return { ...display, files: display.files.map((file) => cutFile(file, mostDisplay / display.files.length)) }
}

function cutFile(file: FileDiff, most: number): FileDiff {
  let room = most
  const hunks = file.hunks.map((hunk) => {
    // After the first line that does not fit, none does.
    const end = hunk.lines.findIndex((line) => (room -= JSON.stringify(line).length + 1) < 0)
    return { ...hunk, lines: end < 0 ? hunk.lines : hunk.lines.slice(0, end) }
  })
  const gone = linesIn(file.hunks) - linesIn(hunks)
  if (gone === 0) return file
  return { ...file, hunks: hunks.filter(({ lines }) => lines.length > 0), unshown: gone + (file.unshown ?? 0) }
}

const linesIn = (hunks: FileDiff["hunks"]): number => hunks.reduce((sum, { lines }) => sum + lines.length, 0)

const isSmall = (shown: object): boolean => JSON.stringify(shown).length <= mostDisplay
