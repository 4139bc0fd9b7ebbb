/** Turns the log into the messages that are sent: entries in, valid messages out, whatever state the log is in. See decision 29. */

import type { Added, Entry, ShrinkRung } from "#agent/words/entry.ts"
import type { ConversationFollower } from "#agent/words/follower.ts"
import type {
  AnyBlock,
  AssistantBlock,
  AssistantMessage,
  Author,
  Message,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from "#agent/words/message.ts"
import { escapeImitations, reminder } from "#agent/words/reminder.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { openReadable } from "./readable.ts"

/**
 * A conversation folded from entries. Messages keep their identity once returned, so that a step costs only what it added, and the provider's cached
 * prefix stays valid.
 */
export interface Conversation extends ConversationFollower {
  /** Valid for any provider: see `normalise`. For a named provider, without the reasoning and proofs of others, which stay in the log. */
  readonly messages: (provider?: string) => readonly Message[]
  /** The attachment behind a block; undefined for what others said. */
  readonly sourceOf: (block: AnyBlock) => BlockSource | undefined
}

export interface BlockSource {
  readonly name: string
  readonly data?: JsonObject
}

type BlockSources = WeakMap<AnyBlock, BlockSource>

/** Not settled yet: entries as they came, or messages made earlier. */
type Item =
  | Entry
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "authored"; readonly reply: Entry & { readonly kind: "reply" }; readonly provider: string }

export function openConversation(options: {
  readonly shrink: (messages: readonly Message[], rung: ShrinkRung) => readonly Message[]
}): Conversation {
  let settled: Message[] = []
  let tail: Item[] = []
  /** The provider in use, as far as the log says. */
  let asked: string | undefined
  const readable = openReadable()
  /** How many settled messages this provider may read as they are: they need no second look. */
  let plain = { provider: "", upTo: 0 }
  const settledCalls = new Set<string>()
  /** Blocks keep their identity like messages, so that nobody has to recognise them by their text. */
  const sources: BlockSources = new WeakMap()

  /** Put in place by whoever wants the messages: a long log has many, and each would look at all that came before. */
  let stubs = new Map<string, string>()

  function all(): readonly Message[] {
    if (stubs.size > 0) {
      settled = settled.map((message) => stubbed(message, stubs))
      tail = tail.map((item) => stubbedItem(item, stubs))
      stubs = new Map()
    }
    const rest = normalise(tail, { before: settled.at(-1), settledCalls, sources })
    const [open] = tail
    if (open?.kind === "message" && rest[0] && isSameMessage(open.message, rest[0])) rest[0] = open.message
    const last = rest.pop()
    for (const message of rest) settle(message)
    // The last message may still grow, so it stays open.
    tail = last ? [{ kind: "message", message: last }] : []
    return last ? [...settled, last] : settled.slice()
  }

  function readableBy(provider: string): readonly Message[] {
    const messages = all()
    const from = plain.provider === provider ? plain.upTo : 0
    const fitted = messages.slice(from).map((message) => readable(message, provider))
    const foreign = fitted.findIndex((message, index) => message !== messages[from + index])
    plain = { provider, upTo: foreign === -1 ? settled.length : Math.min(from + foreign, settled.length) }
    return foreign === -1 ? messages : [...messages.slice(0, from), ...fitted]
  }

  function settle(message: Message): void {
    settled.push(message)
    for (const block of message.content) if (block.type === "tool_use") settledCalls.add(block.id)
  }

  function startFrom(items: Item[]): void {
    settled = []
    plain = { provider: "", upTo: 0 }
    settledCalls.clear()
    stubs = new Map()
    tail = items
  }

  function onEntry(entry: Entry): void {
    switch (entry.kind) {
      case "shrink":
        return startFrom(options.shrink(all(), entry.rung).map(made))
      case "compaction":
        for (const { message, block, name, data } of entry.added ?? addedByTags(entry.messages)) {
          const known = entry.messages[message]?.content[block]
          if (known) sources.set(known, { name, ...optional("data", data) })
        }
        return startFrom(entry.messages.map(made))
      case "stub":
        for (const { callId, text } of entry.stubs) stubs.set(callId, escapeImitations(text))
        return
      case "request":
        asked = entry.provider
        return
      case "reply":
        tail.push(asked === undefined ? entry : { kind: "authored", reply: entry, provider: asked })
        return
      default:
        tail.push(entry)
    }
  }

  return {
    messages: (provider) => (provider === undefined ? all() : readableBy(provider)),
    sourceOf: (block) => sources.get(block),
    onEntry,
    reset() {
      asked = undefined
      startFrom([])
    },
  }
}

/** For logs of older versions, which do not say which blocks are the program's own. */
const addedByTags = (messages: readonly Message[]): readonly Added[] =>
  messages.flatMap(({ role, content }, message) =>
    content.flatMap((one, block) =>
      role === "user" && one.type === "text" && one.text.startsWith("<system-reminder>")
        ? [{ message, block, name: "carried_over" }]
        : [],
    ),
  )

const made = (message: Message): Item => ({ kind: "message", message })

/** Whether what could still grow did not. */
const isSameMessage = (before: Message, now: Message): boolean =>
  before.role === "user" &&
  now.role === "user" &&
  before.content.length === now.content.length &&
  before.content.every((block, index) => block === now.content[index])

type StubTexts = ReadonlyMap<string, string>

/** The same object, unless it has one of the results: other messages must stay byte-identical. */
function stubbed(message: Message, texts: StubTexts): Message {
  if (message.role === "assistant") return message
  if (!message.content.some((block) => block.type === "tool_result" && texts.has(block.tool_use_id))) return message
  const content = message.content.map((block) => {
    const text = block.type === "tool_result" ? texts.get(block.tool_use_id) : undefined
    return text === undefined ? block : { ...block, content: text }
  })
  return { role: "user", content }
}

function stubbedItem(item: Item, texts: StubTexts): Item {
  if (item.kind === "message") return made(stubbed(item.message, texts))
  const text = item.kind === "result" ? texts.get(item.callId) : undefined
  return item.kind === "result" && text !== undefined ? { ...item, content: text } : item
}

/** A message under construction. Blocks of one answer share its id; two answers in a row are two drafts. */
type Draft =
  | { readonly role: "user"; readonly blocks: UserBlock[] }
  | {
      readonly role: "assistant"
      readonly id: string
      readonly by: Author | undefined
      readonly blocks: AssistantBlock[]
    }

/**
 * Establishes the invariants: roles alternate and begin with the user; each tool use has exactly one result, first in the next message and in the order
 * of the uses; no result without its use; no duplicate ids; nothing empty; nothing orphaned.
 */
function normalise(
  items: readonly Item[],
  context: {
    readonly before: Message | undefined
    readonly settledCalls: ReadonlySet<string>
    readonly sources: BlockSources
  },
): Message[] {
  const { drafts, results } = draft(items, context.sources)
  const seen = new Set<string>()
  const messages: Message[] = []
  let owed = context.before?.role === "assistant" ? callsIn(context.before.content) : []

  const answerOwed = (): UserBlock[] => {
    const answers = owed.map((id) => results.get(id) ?? unanswered(id))
    owed = []
    return answers
  }
  const push = (message: Message): void => {
    const last = messages.at(-1)
    if (last?.role === "user" && message.role === "user")
      messages[messages.length - 1] = { role: "user", content: [...last.content, ...message.content] }
    else if (last?.role === "assistant" && message.role === "assistant")
      messages[messages.length - 1] = joined(last, message)
    else messages.push(message)
  }

  for (const one of drafts) {
    if (one.role === "user") {
      const content = [...answerOwed(), ...one.blocks.filter(isNotEmpty)]
      if (content.length > 0) push({ role: "user", content })
      continue
    }
    const content = acceptable(one.blocks, (id) => seen.has(id) || context.settledCalls.has(id))
    if (content.length === 0) continue
    // Only a damaged log begins with an answer; the rest of it must not be lost.
    if (messages.length === 0 && !context.before) push(lostBeginning(context.sources))
    const answers = answerOwed()
    if (answers.length > 0) push({ role: "user", content: answers })
    push({ role: "assistant", content, ...optional("by", one.by) })
    owed = callsIn(content)
    for (const id of owed) seen.add(id)
  }
  const answers = answerOwed()
  if (answers.length > 0) push({ role: "user", content: answers })
  return messages
}

function joined(a: AssistantMessage, b: AssistantMessage): Message {
  const by = a.by?.provider === b.by?.provider ? b.by : undefined
  return { role: "assistant", content: [...a.content, ...b.content], ...optional("by", by) }
}

/** Sorts items into drafts and results. Results arrive while an answer still streams, so they have no place of their own. */
function draft(
  items: readonly Item[],
  sources: BlockSources,
): { drafts: Draft[]; results: Map<string, ToolResultBlock> } {
  const drafts: Draft[] = []
  const results = new Map<string, ToolResultBlock>()

  const toUser = (blocks: readonly UserBlock[]): void => {
    for (const block of blocks)
      if (block.type === "tool_result" && !results.has(block.tool_use_id)) results.set(block.tool_use_id, block)
    const others = blocks.filter((block) => block.type !== "tool_result")
    const last = drafts.at(-1)
    if (last?.role === "user") last.blocks.push(...others)
    else drafts.push({ role: "user", blocks: [...others] })
  }
  const addWords = (text: string, source: BlockSource): void => toUser([wordsOf(text, source, sources)])
  const toAssistant = (id: string, blocks: readonly AssistantBlock[], by: Author | undefined): void => {
    const last = drafts.at(-1)
    if (last?.role === "assistant" && last.id === id) last.blocks.push(...blocks)
    else drafts.push({ role: "assistant", id, by, blocks: [...blocks] })
  }

  items.forEach((item, index) => {
    switch (item.kind) {
      case "message":
        if (item.message.role === "user") toUser(item.message.content)
        else toAssistant(`message ${index}`, item.message.content, item.message.by)
        return
      case "prompt":
        return toUser(item.content)
      case "attachment":
        return addWords(reminder(item.text), { name: item.name, ...optional("data", item.data) })
      case "shell":
        return addWords(shellReminder(item), { name: "shell" })
      case "reply":
        return toAssistant(item.messageId, [item.block], undefined)
      case "authored": {
        const { messageId, block, model } = item.reply
        return toAssistant(messageId, [block], { model, provider: item.provider })
      }
      case "result":
        if (!results.has(item.callId)) results.set(item.callId, resultBlock(item))
        return
      case "orphan": {
        // An id may be reused after it was orphaned, so only earlier blocks go.
        for (const block of drafts.flatMap((d) => (d.role === "assistant" && d.id === item.messageId ? d.blocks : [])))
          if (block.type === "tool_use") results.delete(block.id)
        const kept = drafts.filter((d) => d.role !== "assistant" || d.id !== item.messageId)
        drafts.splice(0, drafts.length, ...kept)
        return
      }
      default:
        return
    }
  })
  return { drafts, results }
}

function wordsOf(text: string, source: BlockSource, sources: BlockSources): TextBlock {
  const block: TextBlock = { type: "text", text }
  sources.set(block, source)
  return block
}

/** The user's own command, as a reminder of the program: its output is data, not the user's words. */
const shellReminder = (entry: Entry & { kind: "shell" }): string => reminder(escapeImitations(shellWords(entry)))

const shellWords = ({ command, output, exitCode }: Entry & { kind: "shell" }): string =>
  `The user ran a command of their own in the shell:\n$ ${command}\n${output.trimEnd()}${exitCode === 0 ? "" : `\nIt ended with ${exitCode ?? "no exit code"}.`}`

const callIdShape = /^[a-zA-Z0-9_-]{1,64}$/

function acceptable(blocks: readonly AssistantBlock[], isUsed: (id: string) => boolean): AssistantBlock[] {
  const here = new Set<string>()
  const content = blocks.filter((block) => {
    // Without its proof a provider rejects its own thinking.
    if (block.type === "thinking") return block.proof !== undefined
    if (block.type !== "tool_use") return isNotEmpty(block)
    const good = callIdShape.test(block.id) && !here.has(block.id) && !isUsed(block.id)
    here.add(block.id)
    return good
  })
  // Providers require something after thinking; an answer that broke off may end with it.
  return content.slice(0, content.findLastIndex((block) => !isThinking(block)) + 1)
}

const isThinking = (block: AssistantBlock): boolean => block.type === "thinking" || block.type === "redacted_thinking"

const isNotEmpty = (block: AnyBlock): boolean => block.type !== "text" || block.text.trim() !== ""

const callsIn = (content: readonly (AssistantBlock | UserBlock)[]): string[] =>
  content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))

const lostBeginning = (sources: BlockSources): Message => ({
  role: "user",
  content: [wordsOf(reminder(lostWords), { name: "lost_beginning" }, sources)],
})

const lostWords = "The beginning of this conversation was lost. What follows it is whole."

const unanswered = (callId: string): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: callId,
  content: "Interrupted: this call has no result. It may not have run; check before repeating it.",
  is_error: true,
})

function resultBlock(entry: Entry & { kind: "result" }): ToolResultBlock {
  return {
    type: "tool_result",
    tool_use_id: entry.callId,
    content: resultContent(entry.content),
    ...(entry.isError && { is_error: true }),
  }
}

function resultContent(content: ToolResultBlock["content"]): ToolResultBlock["content"] {
  if (typeof content === "string") return content.trim() === "" ? noOutput : escapeImitations(content)
  const kept = content
    .filter(isNotEmpty)
    .map((block) => (block.type === "text" ? { ...block, text: escapeImitations(block.text) } : block))
  return kept.length === 0 ? noOutput : kept
}

const noOutput = "(no output)"
