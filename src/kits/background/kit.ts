/** The background kit: tells the model, once each, how its background commands ended. */

import type { Entry } from "#agent/words/entry.ts"
import { byKind } from "#agent/words/follower.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Background, BackgroundCommand } from "#ground/workspace/processes/background.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { looksLikePrompt } from "./waiting.ts"
import { matchName, openWatches, type Watches } from "./watches.ts"
import { announcedId, endName, endWords, isCommand, lostName, lostWords, waitingName, waitingWords } from "./words.ts"

/** A command that waits for input prints nothing; a working one is rarely silent this long. */
const quietMs = 45_000
/** More at once would bury the rest; the others follow with the next request. */
const mostAtOnce = 10

export interface BackgroundKit extends Kit {
  /** Has the session woken when a command prints a line. */
  readonly watch: Watches["start"]
}

export function backgroundKit({
  background,
  clock,
  publish,
}: {
  readonly background: Background
  readonly clock: Clock
  readonly publish: (moment: Moment) => void
}): BackgroundKit {
  const toldWaiting = new Set<string>()
  /** Commands that the conversation mentions but this process does not know: from before a resume. */
  const lost = new Set<string>()
  let wake = (): void => {}

  const watches = openWatches({ background, clock, wake: () => wake() })

  const seemsToWait = ({ id, status, lastOutputAt, recent }: BackgroundCommand): boolean =>
    status === "running" && !toldWaiting.has(id) && clock.now() - lastOutputAt >= quietMs && looksLikePrompt(recent)

  const ends = (): Attachment[] =>
    background
      .list()
      .filter(({ status, isEndTold }) => status !== "running" && !isEndTold)
      .map((command) => ({ name: endName, text: endWords(command) }))

  const hearNoMore = background.onEnd(({ id, command, status, startedAt, end, file }) => {
    watches.commandEnded(id)
    if (status === "running" || !end) return
    const { exitCode, at } = end
    const durationMs = at - startedAt
    publish({ type: "background_end", commandId: id, command, status, exitCode, durationMs, ...optional("file", file) })
    // One that was stopped can wait for the next prompt.
    if (status !== "killed") wake()
  })

  return {
    name: "background",
    // Commands that end with the session are not news.
    async close() {
      watches.close()
      hearNoMore()
    },
    watch: watches.start,
    rest: () => [...watches.untold(), ...ends()].slice(0, mostAtOnce),
    stirs(how) {
      wake = how
      return () => void (wake = () => {})
    },
    attachments(): readonly Attachment[] {
      const commands = background.list()
      const attachments = [
        ...(lost.size === 0 ? [] : [{ name: lostName, text: lostWords([...lost]) }]),
        ...watches.untold(),
        ...ends(),
        ...commands.filter(seemsToWait).map((command) => ({
          name: waitingName,
          text: waitingWords(command, clock.now() - command.lastOutputAt),
        })),
      ]
      return attachments.slice(0, mostAtOnce)
    },
    onEntry: byKind({
      attachment: takeAnnouncement,
      result: takeResult,
      // A log read from there on mentions them nowhere else.
      compaction({ running = [] }) {
        for (const id of running) if (isCommand(id)) takeKnown(id)
      },
    }),
  }

  /** Only what is in the log counts as told: an attachment can come too late to be included. */
  function takeAnnouncement(attachment: Attachment): void {
    const { name, text } = attachment
    if (name === matchName) return watches.markTold(attachment)
    if (name === lostName) lost.clear()
    const id = announcedId(text)
    if (id === undefined) return
    if (name === waitingName) toldWaiting.add(id)
    if (name !== endName) return
    background.markTold(id)
    lost.delete(id)
  }

  function takeKnown(id: string): void {
    background.reserve(id)
    if (!background.find(id)) lost.add(id)
  }

  function takeResult({ data }: Entry & { kind: "result" }): void {
    if (typeof data?.backgroundTaskId === "string") takeKnown(data.backgroundTaskId)
    if (typeof data?.shellId === "string" && data.status !== "running") lost.delete(data.shellId)
  }
}
