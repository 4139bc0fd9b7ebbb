/**
 * What a session and the user's other sessions write to each other. A message is in the log of its reader once, whoever is killed meanwhile: its number
 * is recorded with it, and the store is asked only for later ones. See decision 152.
 */

import type { End } from "#agent/words/end.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import type { Mail } from "#agent/words/team.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { notRun } from "#team/call-outcome.ts"
import { reportCall, type SessionMailbox } from "./mailbox.ts"
import { messageToolName, messageTools, type OtherSessions, sentOutcome } from "./message-tools.ts"
import { messageAttachment, messageField, reportWords, senderWords, shortId } from "./message-words.ts"

export interface SessionMessagesParts {
  readonly sessionId: string
  readonly cwd: string
  readonly mailbox: SessionMailbox
  readonly others: OtherSessions
  /** `wake`: a message starts a turn; `wait`: it is read in the next one. */
  readonly arriving: "wake" | "wait"
}

/** More at once would bury the rest; the others follow with the next step. */
const mostAtOnce = 20

export function sessionMessagesKit(parts: SessionMessagesParts): Kit {
  const { sessionId, mailbox, others, arriving } = parts
  const turn = followTurn()
  let cursor = 0
  let seen = ""
  let known: readonly Mail[] = []
  let owed: readonly Mail[] = []
  let isStarted = false
  let unwatch: (() => void) | undefined
  let wake = (): void => {}
  /** One look or report at a time. */
  let work: Promise<void> = Promise.resolve()

  const unread = (): readonly Mail[] => known.filter(({ seq }) => seq > cursor)
  const asAttachments = (): readonly Attachment[] => unread().slice(0, mostAtOnce).map(messageAttachment)

  function then(act: () => Promise<void>): Promise<void> {
    // A store that cannot be read now is read next time.
    work = work.then(act).catch(() => {})
    return work
  }

  async function readMailbox(): Promise<void> {
    const stamp = mailbox.stamp()
    if (stamp === "") return
    const found = await mailbox.read(sessionId, cursor)
    // From before: what was written meanwhile is seen next time.
    seen = stamp
    cursor = Math.max(cursor, found.cursor)
    known = found.unread
    owed = found.owed
  }

  /** As the turn is now: the next one may begin meanwhile. */
  function reporting(): () => Promise<void> {
    const words = turn.hasEnded() ? reportWords(turn.end(), turn.lastText()) : undefined
    const to = isStarted ? cursor : Infinity
    return async () => {
      await readMailbox()
      const due = words === undefined ? [] : owed.filter(({ seq }) => seq <= to)
      if (words !== undefined && due.length > 0) await report(due, words)
    }
  }

  async function report(due: readonly Mail[], words: string): Promise<void> {
    const own = (await others.list()).find(({ id }) => id === sessionId)
    const summary = senderWords({ name: own?.name ?? shortId(sessionId), folder: parts.cwd })
    for (const { seq, from } of due) {
      const last = due.findLast((other) => other.from === from)?.seq
      const text = last === seq ? words : `See what it says to message ${last}.`
      await mailbox.send({ from: sessionId, to: from, type: "report", text, summary, answers: seq }, reportCall(seq))
      await others.ring(from)
    }
  }

  const isNews = (): boolean => unread().length > 0 && (turn.isOpen() || arriving === "wake")

  /** Others know of it once it has done something. */
  function listen(): void {
    unwatch ??= mailbox.watch(sessionId, () => {
      lookSoon()
      // Others of the program may have something, too.
      wake()
    })
  }

  function lookSoon(): void {
    void then(readMailbox).then(() => isNews() && wake())
  }

  return {
    name: "session messages",
    tools: messageTools({ ...parts, sentAlone: turn.sentAlone }),
    onEntry(entry) {
      const seq = entry.kind === "attachment" ? entry.data?.[messageField] : undefined
      if (typeof seq === "number") cursor = Math.max(cursor, seq)
      turn.onEntry(entry)
      const isDue = entry.kind === "turn_end" && turn.hasRead()
      if (isStarted && isDue) void then(reporting())
      if (isStarted && entry.kind === "turn_end" && !unwatch) {
        listen()
        // Something may have come just before.
        if (mailbox.stamp() !== seen) lookSoon()
      }
    },
    async attachments() {
      if (mailbox.stamp() !== seen) await then(readMailbox)
      return asAttachments()
    },
    rest() {
      if (isStarted && mailbox.stamp() !== seen) lookSoon()
      return isNews() ? asAttachments() : []
    },
    stirs(how) {
      wake = how
      if (mailbox.stamp() !== "") void then(reporting()).then(() => isNews() && wake())
      isStarted = true
      return () => {
        wake = () => {}
        unwatch?.()
        unwatch = () => {}
      }
    },
    outcomeOf: (call) => outcomeOfMessage(call, parts),
    close: () => work,
  }
}

/** From the store: whether a message of a call that was cut off was sent. Its reader is told once more. */
async function outcomeOfMessage({ id, name }: ToolUseBlock, parts: SessionMessagesParts): Promise<Outcome | undefined> {
  const { sessionId, mailbox, others } = parts
  if (name !== messageToolName) return undefined
  const posted = await mailbox.sent(sessionId, id)
  if (!posted) return notRun
  await others.ring(posted.to)
  const to = (await others.list()).find((one) => one.id === posted.to)
  const gone = { id: posted.to, name: shortId(posted.to), folder: "", state: "", isOpen: false, isBackground: false }
  return sentOutcome(to ?? gone, posted.seq)
}

interface TurnFacts {
  readonly onEntry: (entry: Entry) => void
  readonly isOpen: () => boolean
  /** Other than by the end of the program, after which it continues. */
  readonly hasEnded: () => boolean
  readonly end: () => End | undefined
  readonly lastText: () => string
  readonly hasRead: () => boolean
  readonly sentAlone: () => number
}

function followTurn(): TurnFacts {
  let isOpen = false
  let end: End | undefined
  let last = { messageId: "", text: "" }
  let hasRead = false
  let sentAlone = 0
  const isCutOff = (): boolean => end?.cause === "program_ended" || end?.cause === "log"
  return {
    isOpen: () => isOpen,
    hasEnded: () => !isOpen && !isCutOff(),
    end: () => end,
    lastText: () => last.text,
    hasRead: () => hasRead,
    sentAlone: () => sentAlone,
    onEntry(entry) {
      if (entry.kind === "turn_start") [isOpen, last] = [true, { messageId: "", text: "" }]
      if (entry.kind === "turn_end") [isOpen, end] = [false, entry]
      if (entry.kind === "attachment" && entry.data?.[messageField] !== undefined) hasRead = true
      if (entry.kind === "prompt" && entry.origin?.kind !== "made") sentAlone = 0
      if (entry.kind === "result" && entry.tool === messageToolName && !entry.isError) sentAlone++
      if (entry.kind !== "reply" || entry.block.type !== "text") return
      const before = entry.messageId === last.messageId ? last.text : ""
      last = { messageId: entry.messageId, text: before + entry.block.text }
    },
  }
}
