/** Changes part by part as text, with numbers to keep, undo or restore one. */

import type { ReviewAct } from "#agent/words/entry.ts"
import type { ReviewScope } from "#agent/words/op.ts"
import type { Review, ReviewFile, ReviewHunk } from "#kits/checkpoints/checkpoints.ts"
import { firstChangedLine } from "#lib/diff.ts"
import { forConsent, forReview } from "#lib/printable.ts"
import { aligned, firstLine } from "#lib/rows.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import type { Ask } from "#session/port/query.ts"

const usage = "Usage: /diff [turn] [keep | undo | restore <number>]"

export async function diffAnswer(ask: Ask, words: string): Promise<SlashAnswer> {
  const asked = /^(?:(turn|session)\b)?\s*(?:(keep|undo|restore)\s+(\d+)(?:\.(\d+))?)?$/.exec(words)
  if (!asked) return { text: usage, isError: true }
  const [, scoped, verb, file, part] = asked
  const scope: ReviewScope = scoped === "turn" ? "turn" : "session"
  const review = await ask({ type: "review", scope })
  if (!review.ok) return { text: review.failure, isError: true }
  const act = acts.find((one) => one === verb)
  if (act === undefined) return { text: reviewText(review.value) }
  const { path, hunks } = review.value.files[Number(file) - 1] ?? { path: "", hunks: [] }
  const chosen = part === undefined ? hunks : hunks.slice(Number(part) - 1, Number(part))
  const number = part === undefined ? `${file}` : `${file}.${part}`
  if (chosen.length === 0) return { text: `There is no change ${number}. /diff lists them.`, isError: true }
  const fitting = chosen.filter(({ state }) => (act === "restore" ? state === "undone" : state !== "undone"))
  if (fitting.length === 0)
    return { text: act === "restore" ? `${number} is not undone.` : `${number} is undone already.`, isError: true }
  const what = forConsent(part === undefined ? path : `part ${part} of ${path}`)
  return {
    text: doneWords(act, what, number),
    ops: [{ type: "review", act, hunks: fitting.map(({ id }) => id), scope }],
  }
}

/** What could not be undone or restored is said besides, once that is known. */
function doneWords(act: ReviewAct, what: string, number: string): string {
  if (act === "keep") return `Marked as kept: ${what}.`
  return act === "undo"
    ? `Undid ${what}. /diff restore ${number} to restore it.`
    : `Restored ${what}. /diff undo ${number} to undo it.`
}

const acts: readonly ReviewAct[] = ["keep", "undo", "restore"]

function reviewText({ prompt, files }: Review): string {
  if (files.length === 0) return "No files changed."
  const about = prompt === undefined ? [] : [forConsent(`Changes since "${firstLine(prompt)}"`)]
  const patches = files.filter(({ hunks }) => hunks.some(({ state }) => state !== "undone"))
  return [
    ...about,
    ...aligned(files.flatMap(rowsOf)),
    "",
    ...patches.map(({ patch }) => forReview(patch.trimEnd())),
    "",
    "/diff undo <number> undoes a file or a part of it, /diff restore <number> restores it, /diff keep <number> marks it as reviewed.",
  ].join("\n")
}

function rowsOf({ path, added, removed, binary, hunks }: ReviewFile, i: number): readonly (readonly string[])[] {
  const counts = binary ? ["binary", ""] : [`+${added}`, `-${removed}`]
  const [only, ...others] = hunks
  const whole = [`${i + 1}.`, forConsent(path), ...counts, others.length === 0 && only ? stateWord(only) : ""]
  if (others.length === 0) return [whole]
  return [
    whole,
    ...hunks.map((hunk, n) => [
      `${i + 1}.${n + 1}`,
      `  line ${hunk.hunk ? firstChangedLine(hunk.hunk) : 1}`,
      ...countsOf(hunk),
      stateWord(hunk),
    ]),
  ]
}

function countsOf({ hunk }: ReviewHunk): readonly string[] {
  const count = (mark: string): number => hunk?.lines.filter((line) => line.startsWith(mark)).length ?? 0
  return [`+${count("+")}`, `-${count("-")}`]
}

const stateWord = ({ state }: ReviewHunk): string => (state === "new" ? "" : state)
