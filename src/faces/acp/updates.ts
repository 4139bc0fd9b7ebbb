/** Events of a session as updates of the protocol: text as it comes, calls from their first word to their result. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { ModelEvent } from "#agent/words/model.ts"
import { saidText } from "#agent/words/prompt-text.ts"
import type { Todo } from "#agent/words/todo.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { openCallUpdates, pastCall } from "./call-updates.ts"
import { planSteps } from "./plan-steps.ts"

export interface UpdateParts {
  readonly cwd: string
  readonly send: (update: JsonObject) => void
  /** What the client can show. */
  readonly shows: { readonly notices: boolean; readonly compaction: boolean; readonly terminals: boolean }
  /** Whether this client sent the prompt, and so shows it already. */
  readonly isOwn: (promptId: string) => boolean
  readonly ids: Ids
}

export interface Updates {
  readonly onEvent: (event: Event) => void
  /** An earlier conversation, each call with its result. */
  readonly replay: (entries: readonly Entry[]) => void
}

export function openUpdates(parts: UpdateParts): Updates {
  const { cwd, send, shows } = parts
  /** What of each message has been sent as it came, by kind of block. */
  const streamed = new Set<string>()
  const calls = openCallUpdates({ cwd, send, terminals: shows.terminals })
  const agents = new Map<string, (event: Event) => void>()
  let hasTodos = false

  const chunk = (kind: "agent_message" | "agent_thought", text: string, messageId?: string): void => {
    if (text === "") return
    const content = { type: "text", text }
    // The most frequent of all, so nothing is spread.
    if (messageId === undefined) send({ sessionUpdate: `${kind}_chunk`, content })
    else send({ sessionUpdate: `${kind}_chunk`, content, messageId })
  }

  const notices = openNotices({ ...parts, say: (text) => chunk("agent_message", text) })

  function delta(messageId: string, event: ModelEvent): void {
    switch (event.type) {
      case "text_delta":
        streamed.add(`text ${messageId}`)
        return chunk("agent_message", event.text, messageId)
      case "thinking_delta":
        streamed.add(`thinking ${messageId}`)
        return chunk("agent_thought", event.thinking, messageId)
      case "block_start":
        return event.block.type === "tool_use" ? calls.begin(event.block) : undefined
      default:
        return undefined
    }
  }

  function reply({ block, messageId }: Entry & { readonly kind: "reply" }): void {
    if (block.type === "tool_use") return calls.made(block)
    // What came in pieces is there already; an answer that came whole is not.
    if (block.type === "text" && !streamed.has(`text ${messageId}`)) chunk("agent_message", block.text, messageId)
    if (block.type === "thinking" && !streamed.has(`thinking ${messageId}`))
      chunk("agent_thought", block.thinking, messageId)
  }

  function entry(one: Entry): void {
    switch (one.kind) {
      case "reply":
        return reply(one)
      case "result":
        return calls.end(one)
      case "todo":
        hasTodos = one.todos.length > 0
        return send({ sessionUpdate: "plan", entries: todoEntries(one.todos) })
      case "prompt":
        if (!parts.isOwn(one.promptId)) for (const update of promptUpdates(one)) send(update)
        return undefined
      case "question":
        if (one.question.ask.kind === "plan" && !hasTodos)
          send({ sessionUpdate: "plan", entries: planSteps(one.question.ask.plan) })
        return undefined
      case "command":
        return chunk("agent_message", one.text)
      case "unsent":
        return chunk("agent_message", `Not sent: ${one.why}`)
      case "title":
        return send({
          sessionUpdate: "session_info_update",
          title: one.text,
          updatedAt: new Date(one.at).toISOString(),
        })
      case "compaction":
        return notices.compaction("completed", one.summary)
      case "notice":
        return notices.notice(one.level, one.text)
      case "attachment":
        return typeof one.data?.shown === "string" ? notices.news(one.data.shown) : undefined
      case "shell":
        return chunk("agent_message", `\n\n$ ${one.command}\n${one.output}\n`)
      default:
        return undefined
    }
  }

  /** Calls of an agent are shown beside the call that started it; what it says goes to the model that did. */
  function child(agentId: string, callId: string, event: Event): void {
    const own =
      agents.get(agentId) ??
      openUpdates({
        ...parts,
        send: (update) => {
          if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
            send({ ...update, _meta: { codewright: { agentId, parentToolCallId: callId } } })
        },
      }).onEvent
    agents.set(agentId, own)
    own(event)
  }

  return {
    onEvent(event) {
      switch (event.type) {
        case "entry":
          return entry(event.entry)
        case "model_delta":
          return delta(event.messageId, event.delta)
        case "tool_start":
          return calls.start(event.callId, event.title)
        case "tool_progress":
          return calls.progress(event.callId, event.progress.output)
        case "child":
          return child(event.agentId, event.callId, event.event)
        case "chore":
          if (event.name === "compact" && event.running) notices.compaction("in_progress")
          return undefined
        default:
          return undefined
      }
    },
    replay(entries) {
      const results = new Map(entries.flatMap((one) => (one.kind === "result" ? [[one.callId, one] as const] : [])))
      const todos = entries.findLast((one) => one.kind === "todo")
      for (const one of entries) {
        if (one.kind === "prompt") for (const update of promptUpdates(one)) send(update)
        if (one.kind === "reply" && one.block.type === "tool_use")
          send(pastCall(one.block, results.get(one.block.id), cwd))
        else if (one.kind === "reply" || one.kind === "command") entry(one)
      }
      if (todos) entry(todos)
    },
  }
}

interface Notices {
  readonly notice: (severity: "info" | "warning" | "error", text: string) => void
  /** Why the model works although nobody wrote to it. */
  readonly news: (text: string) => void
  readonly compaction: (status: "in_progress" | "completed", summary?: string) => void
}

/** What is no part of the conversation. An editor that has no place for it reads warnings as text. */
function openNotices({
  send,
  shows,
  ids,
  say,
}: Pick<UpdateParts, "send" | "shows" | "ids"> & { readonly say: (text: string) => void }): Notices {
  let compactionId: string | undefined
  const notice: Notices["notice"] = (severity, text) => {
    if (shows.notices) send({ sessionUpdate: "notice", severity, title: text })
    else if (severity !== "info") say(`\n\n${text}\n\n`)
  }
  return {
    notice,
    news: (text) => (shows.notices ? notice("info", text) : say(`\n\n> ${text.replaceAll("\n", "\n> ")}\n\n`)),
    compaction(status, summary) {
      if (!shows.compaction) return status === "completed" ? notice("info", "Summarized the conversation.") : undefined
      const id = (compactionId ??= ids.uuid())
      if (status === "completed") compactionId = undefined
      send({
        sessionUpdate: "compaction_update",
        compactionId: id,
        status,
        ...(summary !== undefined && { summary: [{ type: "text", text: summary }] }),
      })
    },
  }
}

const todoEntries = (todos: readonly Todo[]): readonly JsonObject[] =>
  todos.map(({ content, status }) => ({ content, status, priority: "medium" }))

function promptUpdates(entry: Entry & { readonly kind: "prompt" }): readonly JsonObject[] {
  if (entry.origin?.kind === "made") return []
  const text = saidText(entry)
  return [...(text === "" ? [] : [{ type: "text", text }]), ...entry.content.flatMap(imageOf)].map((content) => ({
    sessionUpdate: "user_message_chunk",
    content,
    messageId: entry.promptId,
  }))
}

const imageOf = (block: PromptBlock): readonly JsonObject[] =>
  block.type === "image" && block.source.type === "base64"
    ? [{ type: "image", data: block.source.data, mimeType: block.source.media_type }]
    : []
