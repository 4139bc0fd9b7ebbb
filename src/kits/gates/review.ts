/**
 * The files gate: what a call created is shown to the user before anything else acts. That it was created is recorded with the
 * outcome of the call first, so that another process asks the same and does not run the call again.
 */

import type { FileDiff } from "#agent/words/display.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import { isReadOnly } from "#agent/words/footprint.ts"
import { reviewCheck } from "#agent/words/gates.ts"
import { interrupterOf } from "#agent/words/interruption.ts"
import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { interrupted, type Outcome, refused } from "#agent/words/tool.ts"
import { textOf } from "#agent/words/message.ts"
import { hunksOf } from "#lib/diff.ts"
import { type CreatedFiles, digestsIn, openReviewMemory, type ReviewAsk, type ReviewMemory } from "./review-memory.ts"
import type { GateRoom } from "./room.ts"
import { changedWords, keptWords, removedWords, unreviewedWords } from "./words.ts"

export interface ReviewPorts {
  readonly record: (body: EntryBody) => void
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  readonly files: ReviewFiles
  /** Whether new files are reviewed now. What waits for a review does so in any case. */
  readonly isOn: () => boolean
  /** Of a call of an agent, whose questions are in the log of the session. */
  readonly seenAbove: GateRoom["seen"]
}

export interface ReviewFiles {
  readonly exists: (path: string) => boolean
  /** All files that are not ignored; undefined if there are too many to list. */
  readonly list: (signal: AbortSignal) => Promise<ReadonlySet<string> | undefined>
  /** Undefined if it is not there, or not a file. */
  readonly content: (path: string) => NewFile | undefined
  /** Whether it is gone. */
  readonly remove: (path: string) => boolean
  /** Of the session itself, such as its plan: not reviewed. */
  readonly isOwn: (path: string) => boolean
  readonly show: (path: string) => string
}

export interface NewFile {
  readonly digest: string
  readonly bytes: number
  /** Absent if it is not text, or too long to be shown. */
  readonly text?: string
}

const mostShown = 50

export function openReview(ports: ReviewPorts): {
  readonly middleware: Middleware
  readonly seen: GateRoom["seen"]
  readonly onEntry: ReviewMemory["onEntry"]
} {
  const { files } = ports
  const memory = openReviewMemory()
  const { made, due, seen } = memory

  async function createdBy(call: Call, run: () => Promise<Outcome>): Promise<CreatedFiles> {
    const declared = call.footprint.writes.filter((path) => !files.exists(path))
    const isKnown = call.footprint.runs.length === 0 && call.footprint.effect === "acts"
    const before = isKnown ? undefined : await files.list(call.signal)
    const outcome = await run()
    const after = before && (await files.list(call.signal))
    const found = after && before ? [...after].filter((path) => !before.has(path)) : []
    const paths = [...new Set([...declared, ...found])]
      .filter((path) => files.exists(path) && !files.isOwn(path))
      .sort()
    return { files: paths, outcome }
  }

  async function reviewed(
    ask: ReviewAsk,
    { files: paths, outcome }: CreatedFiles,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const there = paths.flatMap((path) => {
      const file = files.content(path)
      return file ? [{ path, file }] : []
    })
    const question = await withFiles(ask, there, files.show)
    // Whoever has just allowed exactly these files need not look at them twice.
    const known = seen.get(ask.callId) ?? ports.seenAbove(ask.callId)
    const isWhole = question.risks?.length === 0
    const isSeen = isWhole && digestsIn(question).every((digest) => known?.has(digest))
    if (there.length === 0 || isSeen) return outcome
    const answer = await ports.ask(question, signal)
    if (signal.aborted)
      return interrupted(
        `Interrupted by ${interrupterOf(signal)} before the new files were reviewed; they are still there.`,
        "during",
      )
    return settle(answer, there, outcome)
  }

  function settle(answer: Answer, there: readonly ReviewedFile[], outcome: Outcome): Outcome {
    const paths = there.map(({ path }) => files.show(path))
    switch (answer.kind) {
      case "allow":
        return outcome
      case "deny": {
        const words = answer.words?.trim()
        const more = { denied: true, ...((answer.interrupt || !words) && { rejected: true }) }
        if (answer.keep) return reviewOutcome(keptWords(paths, words), outcome, more)
        return reviewOutcome(`${removedWords(paths, words)}${removeAll(there)}`, outcome, more)
      }
      case "choices":
      case "approve":
      case "elicited":
      case "unanswered": {
        const why = answer.kind === "unanswered" ? answer.why : "the answer was to another question"
        return reviewOutcome(`${unreviewedWords(paths, why)}${removeAll(there)}`, outcome, { denied: true })
      }
    }
  }

  /** Only what the user has seen: whoever changed a file since may need it. */
  function removeAll(there: readonly ReviewedFile[]): string {
    const left = there.filter(({ path, file }) => files.content(path)?.digest !== file.digest || !files.remove(path))
    return left.length === 0 ? "" : changedWords(left.map(({ path }) => files.show(path)))
  }

  async function settleDue(signal: AbortSignal): Promise<Outcome | undefined> {
    for (const { ask, paths } of due.values()) {
      const outcome = await reviewed(ask, { files: paths, outcome: nothing }, signal)
      if (outcome !== nothing) return outcome
      due.delete(ask.callId)
    }
    return undefined
  }

  async function runReviewed(call: Call, next: Next): Promise<Outcome> {
    const refusal = due.size > 0 ? await settleDue(call.signal) : undefined
    if (refusal) return refusal
    const created = await createdBy(call, () => next(call))
    if (created.files.length === 0) return created.outcome
    ports.record({ kind: "made", callId: call.callId, ...created })
    return reviewed(askAbout(call), created, call.signal)
  }

  return {
    onEntry: memory.onEntry,
    seen: (callId) => seen.get(callId),
    middleware(call, next) {
      const before = made.get(call.callId)
      if (before) return reviewed(askAbout(call), before, call.signal)
      return isReadOnly(call.footprint) || !ports.isOn() ? next(call) : runReviewed(call, next)
    },
  }
}

const nothing: Outcome = { content: "", isError: false }

interface ReviewedFile {
  readonly path: string
  readonly file: NewFile
}

function reviewOutcome(words: string, outcome: Outcome, more: Partial<Outcome>): Outcome {
  const { display: _display, ...rest } = outcome
  const said = textOf(outcome.content)
  return { ...rest, ...refused(said === "" ? words : `${words}\n\nWhat the call itself returned:\n${said}`, more) }
}

function askAbout({ callId, tool, parsed, input, footprint }: Call): ReviewAsk {
  return {
    kind: "permission",
    callId,
    tool: tool.name,
    title: tool.title(parsed),
    input,
    footprint,
    decision: {
      behavior: "ask",
      reason: { kind: "tool_check", check: reviewCheck },
      message: "It created new files, which are reviewed in this session.",
      trace: ["the files gate: ask, because it created new files"],
    },
  }
}

async function withFiles(
  ask: ReviewAsk,
  there: readonly ReviewedFile[],
  show: (path: string) => string,
): Promise<ReviewAsk> {
  const diffs = await Promise.all(
    there.slice(0, mostShown).map(async ({ path, file: { text } }): Promise<FileDiff> => {
      const hunks = text === undefined ? [] : await hunksOf("", text)
      const unshown = hunks.reduce((sum, { newLines, lines }) => sum + newLines - lines.length, 0)
      return { path, hunks, created: true, ...(unshown > 0 && { unshown }) }
    }),
  )
  const [first] = diffs
  const names = there.map(({ path }) => show(path))
  const unseen = there.flatMap(({ path, file: { text, bytes, digest } }, i) => {
    const unshown = diffs[i]?.unshown ?? 0
    if (unshown === 0 && text !== undefined && i < mostShown) return []
    const some = unshown === 1 ? "1 line of " : unshown > 1 ? `${unshown} lines of ` : ""
    return [`${some}${show(path)} ${unshown > 1 ? "are" : "is"} not shown (${bytes} bytes, ${digest.slice(0, 12)})`]
  })
  return {
    ...ask,
    question: names.length === 1 ? `Keep the new file ${names[0]}?` : `Keep these ${names.length} new files?`,
    ...(first && { display: diffs.length === 1 ? { kind: "diff", ...first } : { kind: "diffs", files: diffs } }),
    why: `The files gate is on: new files are reviewed. No removes ${names.length === 1 ? "it" : "them"}.`,
    explanation: `${ask.title} created ${names.slice(0, mostShown).join(", ")}${names.length > mostShown ? ` and ${names.length - mostShown} more` : ""}. Saying no removes ${names.length === 1 ? "it" : "them"}.`,
    // Part of what is answered, also where the content cannot be shown.
    risks: unseen,
  }
}
