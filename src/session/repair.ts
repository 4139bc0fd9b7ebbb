/** Brings a session that ended in the middle into order: what was under way is told, what was unanswered is answered. */

import type { Entry, EntryBody, FileBefore } from "#agent/words/entry.ts"
import type { Waiting } from "./inbox.ts"

export interface Repair {
  /** What must be recorded so that the log is whole again. */
  readonly bodies: readonly EntryBody[]
  /** Prompts that were accepted and never delivered. */
  readonly undelivered: readonly Waiting[]
}

/** `fingerprint` tells how a file is now. */
export function repair(entries: readonly Entry[], fingerprint: (path: string) => string): Repair {
  const bodies: EntryBody[] = []
  const open = new Map<string, { tool: string; files: readonly FileBefore[] | undefined }>()
  const questions = new Set<string>()
  const waiting = new Map<string, Waiting>()
  let turn: string | undefined
  /** What was done between turns and did not come to its end: a command of the person's own, or files going back. */
  let chore: "restore" | { readonly command: string } | undefined

  for (const entry of entries) {
    switch (entry.kind) {
      case "reply":
        if (entry.block.type === "tool_use") open.set(entry.block.id, { tool: entry.block.name, files: undefined })
        break
      case "intent": {
        const call = open.get(entry.callId)
        if (call) call.files = entry.files
        if (entry.tool === ownTool) chore = { command: entry.title }
        break
      }
      case "snapshot":
        if (entry.when === "restore") chore = "restore"
        break
      case "shell":
      case "head":
        chore = undefined
        break
      case "notice":
        // What is said of a chore is said at its end; the rest, while it goes on.
        if (entry.level !== "info") chore = undefined
        break
      case "result":
        open.delete(entry.callId)
        break
      case "question":
        questions.add(entry.question.id)
        break
      case "answer":
        questions.delete(entry.questionId)
        break
      case "queued":
        waiting.set(entry.promptId, { promptId: entry.promptId, content: entry.content, when: entry.when })
        break
      case "prompt":
        waiting.delete(entry.promptId)
        break
      case "turn_start":
        turn = entry.turnId
        chore = undefined
        break
      case "turn_end":
        turn = undefined
        break
    }
  }

  for (const questionId of questions)
    bodies.push({ kind: "answer", questionId, answer: { kind: "unanswered", why: "the program ended" } })
  for (const [callId, { tool, files }] of open)
    bodies.push({
      kind: "result",
      callId,
      tool,
      isError: true,
      durationMs: 0,
      content: files === undefined ? notRun : underWay(files, fingerprint),
    })
  if (turn !== undefined)
    bodies.push({ kind: "turn_end", turnId: turn, reason: "aborted", message: "The program ended during this turn." })
  if (chore === "restore") bodies.push({ kind: "notice", level: "warning", text: halfRestored })
  else if (chore) bodies.push({ kind: "shell", command: chore.command, output: cutShort, exitCode: null })
  return { bodies, undelivered: [...waiting.values()] }
}

/** What is known of an act that was under way: by its files, when it said which it would change. */
function underWay(files: readonly FileBefore[], fingerprint: (path: string) => string): string {
  const begun = "Interrupted: the program ended while this was running."
  const seen = files.map(({ path, before }) => ({ path, before, now: fingerprint(path) }))
  if (files.length === 0 || seen.some(({ before, now }) => before === "unknown" || now === "unknown"))
    return `${begun} It may have taken effect in part or in whole; look before you repeat it.`
  const changed = seen.filter(({ before, now }) => before !== now).map(({ path }) => path)
  if (changed.length === 0)
    return `${begun} It did not take effect: ${files.map(({ path }) => path).join(", ")} is as it was before.`
  return `${begun} It took effect: ${changed.join(", ")} has changed since. Read before you change it again.`
}

/** By which the intent of a person's own command is known. */
export const ownTool = "!"

const halfRestored =
  "The program ended while files were brought back: each is whole, but some may be as before and others restored. /rewind again brings back the rest."

const cutShort =
  "[The program ended while this was running; what it printed is not known. It may have taken effect in part or in whole.]"

const notRun = "Not run: the program ended before this started."
