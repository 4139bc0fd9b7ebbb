/** A conversation with another agent as a log of ours. It holds what was said and done, and no answer, rule or approval. */

import type { AssistantBlock } from "#agent/words/message.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import type { ForeignConversation, ConversationItem } from "#ground/import/found.ts"
import { encodeEntry } from "#ground/transcript/line.ts"
import { headerLine } from "#ground/transcript/log.ts"
import type { Ids } from "#lib/ids.ts"
import { version } from "#lib/version.ts"

export function logLines(conversation: ForeignConversation, sessionId: string, ids: Ids): readonly string[] {
  const { cwd } = conversation
  const origin = { sessionId, cwd, version, gitBranch: "", entrypoint: "import" }
  return [headerLine(origin), ...entriesOf(conversation, ids).map((entry) => encodeEntry(entry, origin))]
}

/** More is not read by a model, and the original has it. */
const longestText = 100_000

export function entriesOf({ items, title }: ForeignConversation, ids: Ids): readonly Entry[] {
  const entries: Entry[] = []
  const results = new Map(items.flatMap((item) => (item.kind === "result" ? [[item.id, item] as const] : [])))
  let at = items[0]?.at ?? 0
  let turn: string | undefined
  let said: Exclude<ConversationItem, { readonly kind: "prompt" | "result" }>[] = []

  function add(body: EntryBody): void {
    entries.push({ ...body, uuid: ids.uuid(), parentUuid: entries.at(-1)?.uuid ?? null, at })
  }

  /** One answer of the model with the results of its calls: a call without a result would be made again. */
  function endAnswer(): void {
    const answer = said
    said = []
    const last = answer.at(-1)
    if (!last) return
    const messageId = `msg_${ids.uuid().replaceAll("-", "")}`
    const calls = answer.flatMap((item) =>
      item.kind === "call" ? [{ item, id: `toolu_${ids.uuid().replaceAll("-", "")}` }] : [],
    )
    const stopReason = calls.length > 0 ? "tool_use" : "end_turn"
    for (const item of answer) {
      const block = blockOf(item, calls.find((call) => call.item === item)?.id ?? "")
      const isLast = item === last
      add({ kind: "reply", messageId, model: item.model, block, usage: noUsage, ...(isLast && { stopReason }) })
    }
    add({ kind: "reply_end", messageId, model: last.model, stopReason, usage: noUsage, durationMs: 0 })
    for (const { item, id: callId } of calls) {
      const result = results.get(item.id)
      const content = result ? cut(result.text) || "(nothing)" : "No result was recorded."
      add({ kind: "result", callId, tool: item.tool, content, isError: result?.isError ?? true, durationMs: 0 })
    }
  }

  function endTurn(): void {
    endAnswer()
    if (turn !== undefined) add({ kind: "turn_end", turnId: turn, reason: "completed" })
    turn = undefined
  }

  function beginTurn(): void {
    endTurn()
    turn = ids.uuid()
    add({ kind: "turn_start", turnId: turn })
  }

  for (const item of items) {
    at = Math.max(at, item.at)
    switch (item.kind) {
      case "prompt":
        beginTurn()
        add({ kind: "prompt", promptId: ids.uuid(), content: [{ type: "text", text: cut(item.text) }] })
        break
      case "result":
        endAnswer()
        break
      default:
        // What an agent says first answers a prompt that was not kept.
        if (turn === undefined) {
          beginTurn()
          add({
            kind: "prompt",
            promptId: ids.uuid(),
            content: [{ type: "text", text: "(not kept)" }],
            origin: { kind: "made" },
          })
        }
        // Calls come last in an answer.
        if (item.kind !== "call" && said.some(({ kind }) => kind === "call")) endAnswer()
        said.push(item)
    }
  }
  endTurn()
  if (title !== undefined && title.trim() !== "") add({ kind: "title", text: title.trim().slice(0, 200), by: "model" })
  return entries
}

function blockOf(
  item: Exclude<ConversationItem, { readonly kind: "prompt" | "result" }>,
  callId: string,
): AssistantBlock {
  switch (item.kind) {
    case "text":
      return { type: "text", text: cut(item.text) }
    case "thinking":
      return { type: "thinking", thinking: cut(item.text) }
    case "call":
      return { type: "tool_use", id: callId, name: item.tool.slice(0, 64), input: item.input }
  }
}

const cut = (text: string): string =>
  (text.length <= longestText ? text : `${text.slice(0, longestText)}\n[…]`).toWellFormed()
