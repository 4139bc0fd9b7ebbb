/** What was sent at every step, rebuilt from the log and verified with the digest written before sending. */

import type { Entry } from "#agent/words/entry.ts"
import { refold } from "#agent/words/follower.ts"
import type { AssistantBlock, Message, UserBlock } from "#agent/words/message.ts"
import { promptTokens, type SystemPart, type ToolSpec, type Usage } from "#agent/words/model.ts"
import { tokensOfBlock } from "#agent/words/weight.ts"
import { pathTo } from "#ground/transcript/path.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { summaryMessages } from "#kits/compaction/summarize.ts"
import { type Conversation, openConversation } from "#kits/context/assemble.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { commonBeginning, openDigests } from "./requests.ts"

export interface InspectedRequest {
  /** Counted from 1, over the whole session. */
  readonly number: number
  readonly at: number
  readonly model: string
  readonly maxTokens: number
  readonly thinking: string
  readonly blocks: readonly InspectedBlock[]
  /** How many leading blocks are identical to the previous request's. */
  readonly sameAsBefore: number
  /** As counted by the provider, once it answered. */
  readonly usage: Usage | undefined
  /** Whether the rebuilt messages match what was sent: a mismatch is a bug of ours, and is shown. */
  readonly proved: boolean
}

export interface InspectedBlock {
  readonly role: "system" | "tools" | "user" | "assistant"
  /** Its origin: `system prompt`, `tool Read`, `prompt`, `attachment todo_reminder`, `result of Bash`... */
  readonly source: string
  readonly text: string
  /** An estimate. */
  readonly tokens: number
  /** Whether it was in the provider's cache, judging by its token count. */
  readonly cached: boolean
}

export interface RequestRows {
  readonly total: number
  /** The last of them, oldest first. */
  readonly rows: readonly RequestRow[]
}

export interface RequestRow extends Omit<InspectedRequest, "blocks"> {
  readonly blocks: number
  /** An estimate. */
  readonly tokens: number
}

type PlainBlock = Omit<InspectedBlock, "cached">

/** Only for the last ones, because each contains everything said before it. */
export function requestRows(requests: readonly InspectedRequest[], last: number): RequestRows {
  const rows = last > 0 ? requests.slice(-last) : []
  return {
    total: requests.length,
    rows: rows.map((request) => ({
      ...request,
      blocks: request.blocks.length,
      tokens: request.blocks.reduce((sum, { tokens }) => sum + tokens, 0),
    })),
  }
}

export interface InspectedLog {
  /** All of them, in order. */
  readonly entries: Iterable<Entry>
  /** Undefined when the log has no such entry. */
  readonly pathTo: (uuid: string) => Iterable<Entry> | undefined
}

/** One at a time: only the conversation is in memory, however long the log is. */
export function* requestsIn(log: InspectedLog): Generator<InspectedRequest> {
  for (const { request, messages, sourceOf } of sentIn(log)) yield inspected(request, blocksOf(messages, sourceOf))
}

/** `entries` is the whole log, in order. */
export function inspect(entries: readonly Entry[]): readonly InspectedRequest[] {
  const requests: KnownRequest[] = []
  let sourceOf: SourceNames["of"] = () => ""
  for (const sent of sentIn({ entries, pathTo: (uuid) => pathTo(entries, uuid) })) {
    requests.push(sent.request)
    sourceOf = sent.sourceOf
  }
  // Built on demand, and kept for one request: all at once would take quadratic memory.
  let looked: { readonly index: number; readonly blocks: readonly InspectedBlock[] } | undefined
  const blocksAt = (index: number, request: KnownRequest): readonly InspectedBlock[] => {
    if (looked?.index !== index)
      looked = { index, blocks: inspected(request, blocksOf(messagesAt(requests, index), sourceOf)).blocks }
    return looked.blocks
  }
  return requests.map((request, index) => {
    const { beginning: _first, late: _late, added: _added, ...known } = request
    return {
      ...known,
      get blocks(): readonly InspectedBlock[] {
        return blocksAt(index, request)
      },
    }
  })
}

function inspected(request: KnownRequest, said: readonly PlainBlock[]): InspectedRequest {
  const { beginning, late, added: _added, ...known } = request
  return { ...known, blocks: withCache([...beginning, ...late.asBefore, ...said, ...late.fresh], known.usage) }
}

interface SentRequest {
  readonly request: KnownRequest
  readonly messages: readonly Message[]
  readonly sourceOf: SourceNames["of"]
}

/** Each is given once nothing more can be said about it: with the next one, or at the end. */
function* sentIn({ entries, pathTo: pathIn }: InspectedLog): Generator<SentRequest> {
  const conversation = openConversation({ shrink })
  const digests = openDigests()
  const sources = openSources(conversation.sourceOf)
  let count = 0
  let last: SentRequest | undefined
  let beginning: readonly PlainBlock[] = []
  let deferred: readonly PlainBlock[] = []
  let before: Sent & { readonly deferred: readonly PlainBlock[] } = { beginning, messages: [], deferred }

  for (const entry of entries) {
    sources.onEntry(entry)
    conversation.onEntry(entry)
    switch (entry.kind) {
      case "head":
        refold([{ conversation }], entry.to === null ? [] : (pathIn(entry.to) ?? []))
        break
      case "setup":
        beginning = setupBlocks(
          entry.system,
          entry.tools.filter((tool) => !tool.deferred),
        )
        // Most changes are to deferred tools: then the beginning is still the same.
        if (isSameBeginning(before.beginning, beginning)) beginning = before.beginning
        deferred = entry.tools.filter((tool) => tool.deferred).map(deferredBlock)
        break
      case "request": {
        if (last) yield last
        const folded = conversation.messages(entry.provider)
        const messages = entry.summary ? (summaryMessages(folded, entry.summary) ?? folded) : folded
        const kept = commonBeginning(before.messages, messages)
        const late = partedBy(deferred, before.deferred)
        const same = sameBlocks(before, { beginning, messages }, kept)
        const request = {
          number: ++count,
          at: entry.at,
          model: entry.model,
          maxTokens: entry.maxTokens,
          thinking: entry.thinking,
          sameAsBefore: same < beginning.length ? same : same + late.asBefore.length,
          usage: undefined,
          proved: digests.of(messages) === entry.digest,
          beginning,
          late,
          added: { kept, messages: messages.slice(kept) },
        }
        last = { request, messages, sourceOf: sources.of }
        before = { beginning, messages, deferred }
        break
      }
      case "reply_end":
        if (last) last = { ...last, request: { ...last.request, usage: entry.usage } }
        break
      default:
        break
    }
  }
  if (last) yield last
}

interface Sent {
  readonly beginning: readonly PlainBlock[]
  readonly messages: readonly Message[]
}

/** A request without its blocks: of its messages, only those that the previous one did not have. */
type KnownRequest = Omit<InspectedRequest, "blocks"> & {
  readonly beginning: readonly PlainBlock[]
  readonly late: Parted
  readonly added: { readonly kept: number; readonly messages: readonly Message[] }
}

function messagesAt(requests: readonly KnownRequest[], index: number): readonly Message[] {
  const pieces: (readonly Message[])[] = []
  let most = Number.POSITIVE_INFINITY
  for (let at = index; at >= 0 && most > 0; at--) {
    const added = requests[at]?.added ?? { kept: 0, messages: [] }
    if (added.kept < most) pieces.push(added.messages.slice(0, most - added.kept))
    most = Math.min(most, added.kept)
  }
  return pieces.toReversed().flat()
}

/** How many leading blocks are the same; `kept` messages are identical objects. */
function sameBlocks(before: Sent, now: Sent, kept: number): number {
  const unsourced = (messages: readonly Message[]) => blocksOf(messages, () => "")
  if (before.beginning !== now.beginning)
    return commonLength(
      [...before.beginning, ...unsourced(before.messages)],
      [...now.beginning, ...unsourced(now.messages)],
    )
  const same = now.messages.slice(0, kept).reduce((sum, { content }) => sum + content.length, now.beginning.length)
  return same + commonLength(unsourced(before.messages.slice(kept)), unsourced(now.messages.slice(kept)))
}

function setupBlocks(system: readonly SystemPart[], tools: readonly ToolSpec[]): readonly PlainBlock[] {
  return [
    ...tools.map((tool): PlainBlock => {
      const text = JSON.stringify(tool)
      return { role: "tools", source: `tool ${tool.name}`, text, tokens: estimateTokens(text) }
    }),
    ...system.map(({ text }): PlainBlock => ({
      role: "system",
      source: "system prompt",
      text,
      tokens: estimateTokens(text),
    })),
  ]
}

/** Deferred tools, apart from the rest: they do not change the beginning, wherever they stand. */
interface Parted {
  readonly asBefore: readonly PlainBlock[]
  readonly fresh: readonly PlainBlock[]
}

function partedBy(now: readonly PlainBlock[], before: readonly PlainBlock[]): Parted {
  if (now === before) return { asBefore: now, fresh: [] }
  const texts = new Set(before.map(({ text }) => text))
  return { asBefore: now.filter(({ text }) => texts.has(text)), fresh: now.filter(({ text }) => !texts.has(text)) }
}

const isSameBeginning = (a: readonly PlainBlock[], b: readonly PlainBlock[]): boolean =>
  a.length === b.length && a.every(({ text }, index) => text === b[index]?.text)

const deferredBlock = (tool: ToolSpec): PlainBlock => ({
  role: "tools",
  source: `deferred tool ${tool.name}`,
  text: JSON.stringify(tool),
  tokens: 0,
})

const blocksOf = (messages: readonly Message[], sourceOf: SourceNames["of"]): readonly PlainBlock[] =>
  messages.flatMap(({ role, content }) =>
    content.map((block) => ({
      role,
      source: sourceOf(block, role),
      text: blockText(block),
      tokens: tokensOfBlock(block),
    })),
  )

const blockText = (block: AssistantBlock | UserBlock): string =>
  block.type === "text" ? block.text : JSON.stringify(block)

interface SourceNames {
  readonly onEntry: (entry: Entry) => void
  readonly of: (block: AssistantBlock | UserBlock, role: Message["role"]) => string
}

/** What the program added is identified by the block itself, a tool's answer by the call. */
function openSources(sourceOf: Conversation["sourceOf"]): SourceNames {
  const tools = new Map<string, string>()
  return {
    onEntry(entry) {
      if (entry.kind === "reply" && entry.block.type === "tool_use") tools.set(entry.block.id, entry.block.name)
    },
    of(block, role) {
      switch (block.type) {
        case "text":
          return role === "assistant" ? "answer" : addedBy(sourceOf(block)?.name)
        case "tool_use":
          return `call of ${block.name}`
        case "tool_result":
          return `result of ${tools.get(block.tool_use_id) ?? "a call"}`
        default:
          return block.type.replaceAll("_", " ")
      }
    },
  }
}

function addedBy(name: string | undefined): string {
  if (name === undefined) return "prompt"
  return name === "shell" ? "your own command" : `attachment ${name}`
}

function commonLength(before: readonly PlainBlock[], now: readonly PlainBlock[]): number {
  const differs = now.findIndex(({ role, text }, at) => before[at]?.role !== role || before[at]?.text !== text)
  return differs < 0 ? now.length : differs
}

/** The provider reports how many tokens were cached; our estimates are scaled to its count before comparing. */
function withCache(blocks: readonly PlainBlock[], usage: Usage | undefined): readonly InspectedBlock[] {
  const estimated = blocks.reduce((sum, { tokens }) => sum + tokens, 0)
  const counted = usage ? promptTokens(usage) : estimated
  const stretch = estimated === 0 ? 1 : counted / estimated
  const read = usage?.cache_read_input_tokens ?? 0
  let sum = 0
  return blocks.map((block): InspectedBlock => {
    sum += block.tokens * stretch
    // The middle of a block decides: estimates are never exact at its edges.
    return { ...block, cached: sum - (block.tokens * stretch) / 2 <= read }
  })
}
