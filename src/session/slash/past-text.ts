/** The past of a session as text: rewind points, branches, changes, other conversations. */

import { textOf } from "#agent/words/message.ts"
import type { Branch } from "#ground/transcript/path.ts"
import type { RewindPoint } from "#kits/checkpoints/checkpoints.ts"
import { ageText } from "#lib/age.ts"
import { costText, counted } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { aligned, firstLine } from "#lib/rows.ts"
import type { SessionRow } from "#session/opening/choices.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { currentMark, listed, matches, wrongNumber } from "./rows.ts"

/** Numbered from the oldest, so that a number keeps its meaning while the conversation grows. */
export function rewindAnswer(points: readonly RewindPoint[], words: string, now: number): SlashAnswer {
  const asked = /^(\d+)(?:\s+(files|conversation|both|what))?(\s+force)?$/.exec(words)
  const point = asked && points[Number(asked[1]) - 1]
  if (asked && !point) return wrongNumber("prompt", asked[1], points.length)
  if (point && asked[2] === "what") return rewindWhat(point, `${asked[1]}`)
  if (point) {
    const what = asked[2] === "files" || asked[2] === "conversation" ? asked[2] : "both"
    const force = asked[3] !== undefined && what !== "conversation"
    return {
      text: `Rewound to before "${forConsent(firstLine(point.text))}". /redo to undo.`,
      ops: [{ type: "rewind", promptId: point.promptId, what, ...(force && { force: true }) }],
    }
  }
  const rows = points.flatMap(({ text, at, own }, i) =>
    words === "" || matches(words, text)
      ? [[`${i + 1}.`, ageText(now - at), own.length === 0 ? "" : counted(own.length, "file"), firstLine(text)]]
      : [],
  )
  const lines = rows.length === 0 ? [] : [...aligned(rows).map(forConsent), rewindHint]
  const text = listed(lines, words, "There is no prompt to rewind to yet.")
  return { text, ...(rows.length > 0 && { choices: points.map((_, i) => `${i + 1} what`) }) }
}

const rewindWhat = ({ text, files }: RewindPoint, number: string): SlashAnswer => ({
  text: [
    `Rewind to before "${forConsent(firstLine(text))}": ${counted(files.length, "file")} changed since.`,
    "1. Restore files and conversation",
    "2. Restore files only",
    "3. Restore conversation only",
  ].join("\n"),
  choices: [`${number} both`, `${number} files`, `${number} conversation`],
})

const rewindHint =
  "/rewind <number> to undo that prompt and everything after it, in the files and in the conversation. Add files or conversation for only one of them, force to overwrite what someone else changed."

export function branchAnswer(branches: readonly Branch[], words: string, now: number): SlashAnswer {
  const asked = /^\d+$/.test(words)
  const branch = asked ? branches[Number(words) - 1] : undefined
  if (asked && !branch) return wrongNumber("branch", words, branches.length)
  if (branch?.isCurrent) return { text: "This is the current branch." }
  if (branch)
    return {
      text: `Switched to the branch "${forConsent(nameOf(branch))}". Files stay as they are.`,
      ops: [{ type: "switch", to: branch.tip }],
    }
  const rows = branches.flatMap((one, i) =>
    words === "" || matches(words, nameOf(one))
      ? [[`${i + 1}.`, counted(one.length, "prompt"), ageText(now - one.at), nameOf(one), currentMark(one.isCurrent)]]
      : [],
  )
  const lines = rows.length === 0 ? [] : [...aligned(rows).map(forConsent), "/branches <number> to switch to one."]
  const text = listed(lines, words, "This conversation has only one branch so far. /rewind to start another.")
  return { text, ...(rows.length > 0 && { choices: branches.map((_, i) => `${i + 1}`) }) }
}

const nameOf = ({ prompt }: Branch): string => (prompt && firstLine(textOf(prompt.content))) || "(nothing was said)"

/** A session named by number, id or words that match only it is the one to resume. */
export function sessionAnswer(
  { all, matching }: { readonly all: readonly SessionRow[]; readonly matching: readonly SessionRow[] },
  words: string,
  now: number,
): SlashAnswer {
  const byNumber = /^\d{1,3}$/.test(words) ? all[Number(words) - 1] : undefined
  const byId = words.length >= 4 ? all.filter(({ id }) => id.startsWith(words.toLowerCase())) : []
  const only =
    byNumber ?? (byId.length === 1 ? byId[0] : undefined) ?? (matching.length === 1 ? matching[0] : undefined)
  if (words !== "" && only) return { text: `Resume with: codewright --resume ${only.id}`, resume: only.id }
  const rows = matching
    .slice(0, mostSessions)
    .map((row) => [
      `${all.findIndex(({ id }) => id === row.id) + 1}.`,
      row.id.slice(0, 8),
      ageText(now - row.changedAt),
      counted(row.messages, "message"),
      row.costUsd > 0 ? costText(row.costUsd) : "",
      forConsent(firstLine(row.title ?? row.firstPrompt) || "(nothing was said)"),
    ])
  const lines = rows.length === 0 ? [] : [...aligned(rows), "/resume <number> to switch to one."]
  const text = listed(lines, words, "There is no conversation in this folder yet.")
  return { text, ...(rows.length > 0 && { choices: all.map((_, i) => `${i + 1}`) }) }
}

const mostSessions = 20
