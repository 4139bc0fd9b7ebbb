/** The ladder for a request that the provider refuses: each rung makes the conversation smaller without a model. See decision 5. */

import type { ShrinkRung } from "#agent/words/entry.ts"
import { type Message, type ResultContent, type ToolResultBlock, textOf, type UserBlock } from "#agent/words/message.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { never } from "#lib/never.ts"

const keptMedia = 20
const keptResultMessages = 3
const oldResultChars = 400
const summaryPromptChars = 80_000
const summaryActs = 200

export function shrink(messages: readonly Message[], rung: ShrinkRung): readonly Message[] {
  switch (rung) {
    case "media":
      return messages.map(withoutMedia)
    case "old_media":
      return withoutOldMedia(messages)
    case "results":
      return shorterResults(messages)
    case "turns":
      return newerHalf(messages)
    case "summary":
      return [summary(messages)]
    default:
      return never(rung)
  }
}

/** Keeps the newest: it was just read, and is why there are too many. */
function withoutOldMedia(messages: readonly Message[]): readonly Message[] {
  let kept = 0
  return messages
    .toReversed()
    .map((message) => {
      kept += mediaIn(message)
      return kept > keptMedia ? withoutMedia(message) : message
    })
    .toReversed()
}

const mediaIn = (message: Message): number =>
  message.content.reduce((count, block) => {
    if (block.type !== "tool_result") return count + (isMedia(block.type) ? 1 : 0)
    return typeof block.content === "string" ? count : count + block.content.filter(({ type }) => isMedia(type)).length
  }, 0)

function withoutMedia(message: Message): Message {
  if (message.role === "assistant") return message
  if (!message.content.some(hasMedia)) return message
  return { role: "user", content: message.content.map(mediaAsText) }
}

const hasMedia = (block: UserBlock): boolean =>
  isMedia(block.type) ||
  (block.type === "tool_result" && typeof block.content !== "string" && block.content.some(({ type }) => isMedia(type)))

const isMedia = (type: string): boolean => type === "image" || type === "document"

function mediaAsText(block: UserBlock): UserBlock {
  if (block.type === "image" || block.type === "document") return leftOut(block.type)
  if (block.type !== "tool_result" || typeof block.content === "string") return block
  return {
    ...block,
    content: block.content.map((inner) => (isMedia(inner.type) ? leftOut(inner.type) : inner)),
  }
}

const leftOut = (what: string): { type: "text"; text: string } => ({
  type: "text",
  text: `[${what} left out to keep the request within the provider's limits. Read the file again if it is needed.]`,
})

/** Cuts old tool results; if only recent ones are left, those too. */
function shorterResults(messages: readonly Message[]): readonly Message[] {
  const bearing = messages.flatMap((message, index) => (message.content.some(isResult) ? [index] : []))
  const firstKept = bearing.at(-keptResultMessages) ?? 0
  const old = cutResults(messages, (index) => index < firstKept)
  const saved = old.some((message, index) => message !== messages[index])
  return saved ? old : cutResults(messages, () => true)
}

const isResult = (block: { readonly type: string }): boolean => block.type === "tool_result"

function cutResults(messages: readonly Message[], applies: (index: number) => boolean): readonly Message[] {
  return messages.map((message, index) => {
    if (message.role === "assistant" || !applies(index)) return message
    const content = message.content.map((block) => (block.type === "tool_result" ? cutResult(block) : block))
    return content.every((block, i) => block === message.content[i]) ? message : { role: "user", content }
  })
}

function cutResult(block: ToolResultBlock): ToolResultBlock {
  const size = sizeOf(block.content)
  if (size <= oldResultChars * 2) return block
  const head = textOf(block.content).slice(0, oldResultChars)
  return {
    ...block,
    content: `${head}\n[cut: ${size} characters in all, to make room. Call the tool again if it is needed.]`,
  }
}

const sizeOf = (content: ResultContent): number =>
  typeof content === "string" ? content.length : JSON.stringify(content).length

/** Drops the older half, cutting before an answer so that no call is separated from its result. The user's prompts stay. */
function newerHalf(messages: readonly Message[]): readonly Message[] {
  const from = messages.findIndex(({ role }, index) => role === "assistant" && index >= messages.length / 2)
  if (from <= 1) return [summary(messages)]
  const prompts = writtenIn(messages.slice(0, from))
  const text = `[The first ${from} messages of this conversation were left out to make room. What the user wrote in them:]\n${newestWithin(prompts, summaryPromptChars).join("\n---\n")}`
  return [{ role: "user", content: [{ type: "text", text }] }, ...messages.slice(from)]
}

/** What the user wrote, including steering between tool results, without the program's own reminders. */
const writtenIn = (messages: readonly Message[]): string[] =>
  messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => textOf(content.filter((block) => block.type === "text" && !isReminder(block.text))))
    .filter((text) => text !== "")

const isReminder = (text: string): boolean => text.startsWith("<system-reminder>")

/** What was asked, what was done and the current state, without a model. The user's prompts are kept verbatim, newest first. */
function summary(messages: readonly Message[]): Message {
  const prompts = writtenIn(messages)
  const acts = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((block) =>
          block.type === "tool_use" ? [`- ${block.name} ${JSON.stringify(block.input).slice(0, 160)}`] : [],
        )
      : [],
  )
  const said = messages.findLast((message) => message.role === "assistant" && textOf(message.content) !== "")
  const text = [
    "[The conversation so far was replaced by this extract to make room.]",
    `What the user wrote:\n${newestWithin(prompts, summaryPromptChars).join("\n---\n")}`,
    `Calls made (the last ${summaryActs} at most):\n${acts.slice(-summaryActs).join("\n")}`,
    `What you said last:\n${said ? textOf(said.content).slice(-4_000) : "(nothing)"}`,
    "Continue from here. Read files again before you change them.",
  ].join("\n\n")
  return { role: "user", content: [{ type: "text", text }] }
}

function newestWithin(texts: readonly string[], most: number): string[] {
  const kept: string[] = []
  let size = 0
  for (const text of texts.toReversed()) {
    if (kept.length > 0 && size + text.length > most) break
    // One text may be too long on its own; in full, it would be refused forever.
    kept.unshift(text.length > most ? headAndTail(text, text, most, `[cut: of ${text.length} characters]`) : text)
    size += text.length
  }
  return kept
}
