/** The hooks kit: the dispatcher, and every moment of a session at which it runs. */

import type { End } from "#agent/words/end.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { byKind, onEntryOfAll, type OnEntry } from "#agent/words/follower.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { openBatch } from "./batch.ts"
import { type CompactionMoments, openCompactionMoments } from "./compaction-moments.ts"
import { type ConfigMoments, openConfigMoments } from "./config-moments.ts"
import type { ConfiguredHook } from "./config.ts"
import { type Dispatcher, type DispatchPorts, openDispatcher } from "./dispatch.ts"
import { type ElicitationMoments, openElicitationMoments } from "./elicitation-moments.ts"
import { type EntryMomentPorts, openEntryMoments } from "./entry-moments.ts"
import { openIdle } from "./idle.ts"
import { hookLayer } from "./layer.ts"
import { openHookMemory } from "./memory.ts"
import type { HookMoment } from "./moments.ts"
import { type ModelMoments, openModelMoments } from "./model-moments.ts"
import { openPermissionMoment, type PermissionMoment } from "./permission-moment.ts"
import { openPrompting, type Prompting } from "./prompting.ts"
import { openResting, type Resting } from "./resting.ts"
import { endingMs, openStarting, type SetupTrigger, type Starting } from "./starting.ts"
import { contextWords, stoppedWords } from "./words.ts"

export interface HooksPorts extends Omit<DispatchPorts, "hooks" | "onLateAnswer" | "record" | "session" | "recall"> {
  readonly hooks: () => readonly ConfiguredHook[]
  readonly record: (body: EntryBody) => void
  readonly model: () => string
  /** Set if another agent started it. */
  readonly agent?: { readonly id: string; readonly type: string }
  readonly place: EntryMomentPorts
  readonly setup?: SetupTrigger | undefined
  readonly past: readonly (Entry & { readonly kind: "hook" })[]
  /** Says something as the first prompt of the session. */
  readonly say: (text: string) => void
  /** Commands and agents that run in the background now. */
  readonly background: () => readonly BackgroundTask[]
  readonly promptSource: "user" | "sdk"
  /** Whether somebody may be waited for between turns. */
  readonly waits: boolean
  /** Whether entries happen now, rather than being replayed. */
  readonly isAwake: () => boolean
}

export interface Hooks extends Dispatcher, Resting, Prompting, ConfigMoments, ModelMoments, Pick<Starting, "begin"> {
  readonly kit: Kit
  readonly stopped: () => End | undefined
  /** All calls of a step have their results, and the next request is about to be made. */
  readonly afterBatch: (signal: AbortSignal) => Promise<void>
  /** Resolves when start hooks have run, with why no prompt may be sent, if so. */
  readonly started: (signal: AbortSignal) => Promise<string | undefined>
  readonly elicitation: ElicitationMoments
  readonly turnFailed: (end: End, signal: AbortSignal) => Promise<void>
  /** Records what hooks have to tell the model, when no request gathers it. */
  readonly flush: () => void
  /** Called before the user is asked about a call. */
  readonly request: PermissionMoment
  readonly compaction: CompactionMoments
  readonly end: (reason: string) => Promise<void>
}

export interface BackgroundTask {
  readonly id: string
  readonly command?: string
  readonly agent?: { readonly type: string; readonly description: string }
}

/** In the words of hooks; longer texts are cut. */
function taskSummary({ id, command, agent }: BackgroundTask): JsonObject {
  const description = clipped(command ?? agent?.description ?? "")
  if (command !== undefined) return { id, type: "shell", status: "running", description, command: description }
  return { id, type: "subagent", status: "running", description, ...optional("agent_type", agent?.type) }
}

const longestSummary = 1_000

const clipped = (text: string): string =>
  text.length <= longestSummary
    ? text
    : `${text.slice(0, longestSummary).toWellFormed()}… [+${text.length - longestSummary} chars]`

const attachmentName = "hook"

export function openHooks(ports: HooksPorts): Hooks {
  const { record, clock, agent } = ports
  const session = new AbortController()
  const beside = new Set<Promise<unknown>>()
  const lastAnswer = openLastAnswer()
  const momentsOf = openEntryMoments(ports.place)
  const memory = openHookMemory()
  for (const entry of ports.past) memory.onEntry(entry)
  const pendingContexts = openHeld()
  let wake = (): void => {}
  let stopping: End | undefined

  const { addContext } = pendingContexts
  const stop = (why: string): void => void (stopping ??= { reason: "blocked_by_hook", message: stoppedWords(why) })
  const name = (title: string): void => record({ kind: "title", text: title, by: "person" })
  const dispatcher = openDispatcher({
    ...ports,
    session: session.signal,
    recall: memory.recall,
    onLateAnswer({ contexts, reason }, { event, rewakes }) {
      const texts = [...contexts, ...(reason === undefined ? [] : [reason])].map((text) => contextWords(event, text))
      for (const text of texts) addContext(text, rewakes)
      if (rewakes && texts.length > 0) wake()
    },
  })
  const { fire, has } = dispatcher
  const isWanted = (): boolean => ports.isAwake() && has("Notification")
  const idle = ports.waits && !agent ? openIdle({ clock, isWanted, raise: fireBeside }) : undefined
  const starting = openStarting({
    ...dispatcher,
    addContext,
    name,
    model: ports.model,
    agentType: agent?.type,
    setup: ports.setup,
    session: session.signal,
    say: ports.say,
  })
  const batch = openBatch({ ...dispatcher, addContext, stop })
  const prompting = openPrompting({ ...dispatcher, addContext, name, starting, isAgent: agent !== undefined, ...ports })
  const resting = openResting({
    ...dispatcher,
    record,
    addContext,
    lastAnswer: lastAnswer.text,
    background: () => ports.background().map(taskSummary),
    event: agent ? "SubagentStop" : "Stop",
    subjects: agent ? [agent.type] : [],
  })

  /** Not waited for: their output is shown, and they decide nothing. */
  function fireBeside(moment: HookMoment): void {
    if (!has(moment.event)) return
    const fired = fire(moment, session.signal)
      .then(({ contexts }) => {
        // The model that answers next is told.
        if (moment.event === "PostModelSwitch")
          for (const text of contexts) addContext(contextWords(moment.event, text))
      })
      .finally(() => beside.delete(fired))
    beside.add(fired)
  }

  /** Also for entries of before: later ones are compared with them. */
  const raise = (entry: Entry): void =>
    momentsOf(entry).forEach((moment) => void (ports.isAwake() && fireBeside(moment)))

  return {
    ...dispatcher,
    ...resting,
    ...openConfigMoments(dispatcher),
    ...openModelMoments({ ...dispatcher, model: ports.model }),
    begin: starting.begin,
    turnBegins() {
      stopping = undefined
      resting.turnBegins()
    },
    stopped: () => stopping,
    started: starting.ready,
    afterBatch: batch.after,
    elicitation: openElicitationMoments(dispatcher),
    ...prompting,
    async turnFailed({ cause = "unknown", message = "" }, signal) {
      if (!has("StopFailure")) return
      const fields = { error: cause, error_details: message, last_assistant_message: lastAnswer.text() }
      await fire({ event: "StopFailure", subjects: [cause], fields }, signal)
    },
    flush() {
      for (const attachment of pendingContexts.all()) record({ kind: "attachment", ...attachment })
    },
    request: openPermissionMoment({ ...dispatcher, addContext, stop }),
    compaction: openCompactionMoments({ ...dispatcher, start: starting.moment }),
    async end(reason) {
      idle?.close()
      const over = new AbortController()
      const rest = Promise.all([starting.end(reason), dispatcher.settled(), ...beside])
      await Promise.race([rest, clock.sleep(endingMs, over.signal)])
      over.abort()
      session.abort()
      await rest
    },
    kit: {
      name: "hooks",
      middleware: hookLayer({ ...dispatcher, record, addContext, stop, clock }),
      onEntry: onEntryOfAll(
        lastAnswer.onEntry,
        batch.onEntry,
        pendingContexts.take,
        ...(idle ? [idle.onEntry] : []),
        byKind({
          question: raise,
          cwd: raise,
          folders: raise,
          attachment: raise,
          turn_start: raise,
          reply: raise,
          model: raise,
          hook: (entry) => void (ports.isAwake() || memory.onEntry(entry)),
          head: ({ why }) => void (why === "clear" && ports.isAwake() && starting.begin("clear")),
        }),
      ),
      attachments: pendingContexts.all,
      rest: pendingContexts.urgent,
      stirs(how) {
        wake = how
        return () => void (wake = () => {})
      },
    },
  }
}

/** What the model is to be told; kept until it is in the log, so that an interrupted step loses nothing. */
function openHeld() {
  let pending: readonly Attachment[] = []
  /** Told even if the model has nothing more to do. */
  let urgent: readonly string[] = []
  return {
    addContext(text: string, isUrgent = false): void {
      pending = [...pending, { name: attachmentName, text }]
      if (isUrgent) urgent = [...urgent, text]
    },
    all: () => pending,
    urgent: () => pending.filter(({ text }) => urgent.includes(text)),
    take: byKind({
      attachment(entry) {
        if (entry.name === attachmentName) pending = pending.filter(({ text }) => text !== entry.text)
      },
    }),
  }
}

function openLastAnswer(): { readonly onEntry: OnEntry; readonly text: () => string } {
  let messageId = ""
  let texts: string[] = []
  return {
    onEntry: byKind({
      reply(entry) {
        if (entry.messageId !== messageId) texts = []
        messageId = entry.messageId
        if (entry.block.type === "text") texts.push(entry.block.text)
      },
    }),
    text: () => texts.join("\n"),
  }
}
