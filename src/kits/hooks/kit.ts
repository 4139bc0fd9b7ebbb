/** The hooks kit: the dispatcher, and every moment of a session at which it runs. */

import type { End } from "#agent/words/end.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { type PromptBlock, textOf } from "#agent/words/message.ts"
import { given } from "#lib/given.ts"
import type { JsonObject } from "#lib/json.ts"
import { openBatch } from "./batch.ts"
import { type CompactionMoments, openCompactionMoments } from "./compaction-moments.ts"
import type { HookConfiguration } from "./config.ts"
import { type Dispatcher, type DispatchPorts, openDispatcher } from "./dispatch.ts"
import { type ElicitationMoments, openElicitationMoments } from "./elicitation-moments.ts"
import { type EntryMomentPorts, openEntryMoments } from "./entry-moments.ts"
import { openIdle } from "./idle.ts"
import { hookLayer } from "./layer.ts"
import { openHookMemory } from "./memory.ts"
import type { HookMoment } from "./moments.ts"
import { openPermissionMoment, type PermissionMoment } from "./permission-moment.ts"
import { openResting, type Resting } from "./resting.ts"
import { endingMs, openStarting, type SetupTrigger, type Starting } from "./starting.ts"
import { contextWords, expansionRefusedWords, promptRefusedWords, stoppedWords } from "./words.ts"

export interface HooksPorts extends Omit<DispatchPorts, "hooks" | "hearLate" | "record" | "session" | "recall"> {
  readonly configuration: HookConfiguration
  readonly record: (body: EntryBody) => void
  readonly model: () => string
  /** Set if another agent started it. */
  readonly agent?: { readonly id: string; readonly type: string }
  readonly place: EntryMomentPorts
  readonly setup?: SetupTrigger | undefined
  /** Commands and agents that run in the background now. */
  readonly background: () => readonly BackgroundTask[]
  /** Who submits prompts: a person, or a program. */
  readonly promptSource: "user" | "sdk"
  /** Whether somebody may be waited for between turns. */
  readonly waits: boolean
  /** Whether entries happen now, rather than being replayed. */
  readonly isAwake: () => boolean
}

export interface Hooks extends Dispatcher, Resting, Pick<Starting, "begin"> {
  readonly kit: Kit
  readonly guardsPrompts: () => boolean
  /** Why a prompt must not be delivered; undefined if it may, or if nobody waits for it any more. */
  readonly beforePrompt: (prompt: SubmittedPrompt, signal: AbortSignal) => Promise<string | undefined>
  readonly stopped: () => End | undefined
  /** Why a command must not become a prompt; undefined if it may. */
  readonly beforeExpansion: (expansion: Expansion, signal: AbortSignal) => Promise<string | undefined>
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

/** A slash command that is about to be expanded. */
export interface Expansion {
  readonly type: "slash_command" | "mcp_prompt"
  readonly name: string
  readonly args: string
  readonly source?: string
  readonly typed: string
  readonly promptId: string
}

export interface SubmittedPrompt {
  readonly promptId: string
  readonly content: readonly PromptBlock[]
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
  return { id, type: "subagent", status: "running", description, ...given("agent_type", agent?.type) }
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
  const batch = openBatch()
  const idle = ports.waits && !agent ? openIdle(clock, fireBeside) : undefined
  const memory = openHookMemory()
  let held: readonly Attachment[] = []
  /** The part the model must be told even if it has nothing more to do. */
  let urgent: readonly string[] = []
  let wake = (): void => {}
  let stopping: End | undefined

  const hold = (text: string): void => void (held = [...held, { name: attachmentName, text }])
  const stop = (why: string): void => void (stopping ??= { reason: "blocked_by_hook", message: stoppedWords(why) })
  const name = (title: string): void => record({ kind: "title", text: title, by: "person" })
  const dispatcher = openDispatcher({
    ...ports,
    hooks: ports.configuration.hooks,
    session: session.signal,
    recall: memory.recall,
    hearLate({ contexts, reason }, { event, rewakes }) {
      const texts = [...contexts, ...(reason === undefined ? [] : [reason])].map((text) => contextWords(event, text))
      for (const text of texts) hold(text)
      if (!rewakes || texts.length === 0) return
      urgent = [...urgent, ...texts]
      wake()
    },
  })
  const { fire, has } = dispatcher
  const starting = openStarting({
    ...dispatcher,
    hold,
    name,
    model: ports.model,
    agentType: agent?.type,
    setup: ports.setup,
    session: session.signal,
  })
  const resting = openResting({
    ...dispatcher,
    record,
    hold,
    lastAnswer: lastAnswer.text,
    background: () => ports.background().map(taskSummary),
    event: agent ? "SubagentStop" : "Stop",
    subjects: agent ? [agent.type] : [],
  })

  /** Not waited for: their output is shown, and they have no other effect. */
  function fireBeside(moment: HookMoment): void {
    if (!has(moment.event)) return
    const fired = fire(moment, session.signal).finally(() => beside.delete(fired))
    beside.add(fired)
  }

  return {
    ...dispatcher,
    ...resting,
    begin: starting.begin,
    turnBegins() {
      stopping = undefined
      resting.turnBegins()
    },
    stopped: () => stopping,
    started: starting.ready,
    async beforeExpansion({ type, name: command, args, source, typed, promptId }, signal) {
      if (agent || !has("UserPromptExpansion") || signal.aborted) return undefined
      const fields = {
        expansion_type: type,
        command_name: command,
        command_args: args,
        ...given("command_source", source),
        prompt: typed,
        prompt_id: promptId,
      }
      const fired = await fire({ event: "UserPromptExpansion", subjects: [command], fields, promptId }, signal)
      if (signal.aborted) return undefined
      if (fired.verdict === "deny") return expansionRefusedWords(command, fired.reason ?? "It gave no reason.")
      for (const context of fired.contexts) hold(contextWords("UserPromptExpansion", context))
      return undefined
    },
    async afterBatch(signal) {
      const tool_calls = batch.drain()
      if (tool_calls.length === 0 || !has("PostToolBatch") || signal.aborted) return
      const fired = await fire({ event: "PostToolBatch", fields: { tool_calls } }, signal)
      for (const context of fired.contexts) hold(contextWords("PostToolBatch", context))
      const why = fired.stop ?? (fired.verdict === "deny" ? (fired.reason ?? "It gave no reason.") : undefined)
      if (why !== undefined) stop(why)
    },
    elicitation: openElicitationMoments(dispatcher),
    guardsPrompts: () => starting.isUnderWay() || (!agent && has("UserPromptSubmit")),
    async beforePrompt({ promptId, content }, signal) {
      const unready = await starting.ready(signal)
      if (unready !== undefined) return promptRefusedWords(unready)
      // What one agent says to another is not a user's prompt.
      if (agent || !has("UserPromptSubmit") || signal.aborted) return undefined
      const fields = { prompt: textOf(content), prompt_id: promptId, source: ports.promptSource }
      const fired = await fire({ event: "UserPromptSubmit", fields, promptId }, signal)
      if (signal.aborted) return undefined
      if (fired.verdict === "deny") return promptRefusedWords(fired.reason ?? "It gave no reason.")
      for (const context of fired.contexts) hold(contextWords("UserPromptSubmit", context))
      if (fired.title !== undefined) name(fired.title)
      return undefined
    },
    async turnFailed({ cause = "unknown", message = "" }, signal) {
      if (!has("StopFailure")) return
      const fields = { error: cause, error_details: message, last_assistant_message: lastAnswer.text() }
      await fire({ event: "StopFailure", subjects: [cause], fields }, signal)
    },
    flush() {
      for (const attachment of held) record({ kind: "attachment", ...attachment })
    },
    request: openPermissionMoment({ ...dispatcher, hold, stop }),
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
      middleware: hookLayer({ ...dispatcher, record, hold, stop, clock }),
      take(entry) {
        lastAnswer.take(entry)
        batch.take(entry)
        // Kept until it is in the log: an interrupted step loses nothing.
        if (entry.kind === "attachment" && entry.name === attachmentName)
          held = held.filter(({ text }) => text !== entry.text)
        const moments = momentsOf(entry)
        if (!ports.isAwake()) return memory.take(entry)
        for (const moment of moments) fireBeside(moment)
        if (has("Notification")) idle?.take(entry)
        if (entry.kind === "head" && entry.why === "clear") starting.begin("clear")
      },
      attachments: () => Promise.resolve(held),
      rest: () => held.filter(({ text }) => urgent.includes(text)),
      stirs(how) {
        wake = how
        return () => void (wake = () => {})
      },
    },
  }
}

function openLastAnswer(): { readonly take: (entry: Entry) => void; readonly text: () => string } {
  let messageId = ""
  let texts: string[] = []
  return {
    take(entry) {
      if (entry.kind !== "reply") return
      if (entry.messageId !== messageId) texts = []
      messageId = entry.messageId
      if (entry.block.type === "text") texts.push(entry.block.text)
    },
    text: () => texts.join("\n"),
  }
}
