/** Packs the new conversation: what is carried over verbatim, the summary of the rest, and what is shown again. */

import type { Added, PromptBlocks } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"
import type { AnyBlock, Message, TextBlock, UserBlock } from "#agent/words/message.ts"
import { escapeImitations, reminder } from "#agent/words/reminder.ts"
import { tokensOfBlocks, tokensOfMessages } from "#agent/words/weight.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { addedIn, type SourceOf } from "./added.ts"
import { placesOf } from "./places.ts"
import type { Prompt } from "./prompts.ts"
import { fileWords, type RecentFile } from "./restore.ts"
import { shrink } from "./shrink.ts"
import { smallerTail } from "./tail.ts"

export interface CarriedContext {
  readonly context: readonly Attachment[]
  /** Oldest first. */
  readonly prompts: readonly Prompt[]
  readonly summary: string
  /** The task list, the plan, running tasks: shown in full. */
  readonly state: readonly string[]
  /** Newest first. */
  readonly files: readonly RecentFile[]
  readonly extras: readonly Attachment[]
  /** The end of the conversation, kept verbatim; `whole`: regardless of size, because the user wants it. */
  readonly tail: readonly Message[]
  readonly tailStays?: "whole"
  /** The beginning of the conversation, if it is kept, and how many of the prompts are in it. */
  readonly head?: { readonly messages: readonly Message[]; readonly prompts: number }
  readonly transcript: string | undefined
  readonly sourceOf: SourceOf
  /** Whether the newest prompt is what the model works on now. */
  readonly isWorking: boolean
}

export interface Packed {
  readonly messages: readonly Message[]
  readonly said: readonly PromptBlocks[]
  readonly added: readonly Added[]
  readonly files: readonly string[]
}

const olderPromptTokens = 20_000
const fileTokens = 5_000
/** Less of a file would be mostly its name. */
const leastFileTokens = 200
const extraTokens = 5_000
const extrasTokens = 25_000
/** A prompt too long to carry in full keeps this much of its beginning and end. */
const excerptCharacters = 4_000

/** `room` is a target in tokens: required parts are carried whatever their size; the rest gets what is left. */
export function pack(carried: CarriedContext, room: number): Packed {
  const fixed = [...carried.context.map(({ text }) => text), carried.summary, ...carried.state].reduce(
    (sum, text) => sum + estimateTokens(text),
    0,
  )
  const tail =
    carried.tailStays === "whole"
      ? carried.tail
      : smallerTail(shrink(carried.tail, "media"), Math.max(room - fixed, room / 2))
  const { messages: head, prompts: inHead } = carried.head ?? { messages: [], prompts: 0 }
  const saidInHead = placesOf(carried.prompts.slice(0, inHead), head).filter((place) => place !== undefined)
  const { before, saidInTail } = partedAt(carried.prompts.slice(inHead), tail)
  const newest = saidInTail.length > 0 ? undefined : before.at(-1)
  const older = newest ? before.slice(0, -1) : before

  let left = room - fixed - tokensOfMessages(tail) - tokensOfBlocks(newest ?? [])
  const { kept, leftOut } = olderWithin(older, Math.max(0, Math.min(olderPromptTokens, left)))
  left -= kept.reduce((sum, prompt) => sum + tokensOfQuoted(prompt), 0)
  const files = carried.files.flatMap((file) => {
    if (left < leastFileTokens) return []
    const text = fileWords(file, Math.min(fileTokens, left - leastFileTokens / 2))
    left -= estimateTokens(text)
    return [{ real: file.real, text }]
  })
  const extras = extrasWithin(carried.extras, Math.min(extrasTokens, left))

  const page = openPage()
  for (const attachment of carried.context) page.attach(attachment)
  page.say(beginningWords(carried.transcript, head.length === 0 ? "before" : "after"))
  if (kept.length > 0) page.say(promptWords(leftOut))
  kept.forEach((prompt, index) => {
    if (index > 0) page.say(nextWords)
    page.quote(prompt)
  })
  page.say(escapeImitations(`The summary of the conversation before this point:\n\n${carried.summary}`))
  for (const text of [...carried.state, ...files.map(({ text: words }) => words)]) page.say(text)
  for (const attachment of extras) page.attach(attachment)
  if (newest) {
    page.say(carried.isWorking ? newestWords : answeredWords)
    page.quote(newest)
  }
  const messages: readonly Message[] = [...head, { role: "user", content: page.blocks }, ...tail]
  return {
    messages,
    added: addedIn(messages, (block) => page.sources.get(block) ?? carried.sourceOf(block)),
    said: [...saidInHead, ...page.said.map(movedBy(head.length)), ...saidInTail.map(movedBy(head.length + 1))],
    files: files.map(({ real }) => real),
  }
}

/** The first message under construction: keeps the program's words and the user's apart. */
function openPage() {
  const blocks: UserBlock[] = []
  const said: PromptBlocks[] = []
  const sources = new Map<AnyBlock, Omit<Attachment, "text">>()
  const attach = ({ text, ...source }: Attachment): void => {
    const block: TextBlock = { type: "text", text: reminder(text) }
    sources.set(block, source)
    blocks.push(block)
  }
  return {
    blocks,
    said,
    sources,
    attach,
    say: (text: string): void => attach({ name: "compaction", text }),
    quote(prompt: Prompt): void {
      said.push({ message: 0, blocks: prompt.map((_, index) => blocks.length + index) })
      blocks.push(...prompt)
    },
  }
}

const movedBy =
  (count: number) =>
  ({ message, blocks }: PromptBlocks): PromptBlocks => ({ message: message + count, blocks })

/** Which prompts are already in the tail, and where; the earlier ones in quotable form. */
function partedAt(
  prompts: readonly Prompt[],
  tail: readonly Message[],
): { readonly before: readonly Prompt[]; readonly saidInTail: readonly PromptBlocks[] } {
  const places = placesOf(prompts, tail)
  const end = places.findLastIndex((place) => place === undefined) + 1
  return {
    before: prompts.slice(0, end).map(withoutMedia),
    saidInTail: places.slice(end).filter((place) => place !== undefined),
  }
}

function olderWithin(
  prompts: readonly Prompt[],
  most: number,
): { readonly kept: readonly Prompt[]; readonly leftOut: number } {
  const kept: Prompt[] = []
  let left = most
  for (const prompt of prompts.toReversed()) {
    const fitting = [prompt, excerptOf(prompt)].find((form) => tokensOfQuoted(form) <= left)
    if (!fitting) continue
    kept.unshift(fitting)
    left -= tokensOfQuoted(fitting)
  }
  return { kept, leftOut: prompts.length - kept.length }
}

/** What stands between two of them is longer than many a prompt. */
const tokensOfQuoted = (prompt: Prompt): number => tokensOfBlocks(prompt) + estimateTokens(reminder(nextWords))

function excerptOf(prompt: Prompt): Prompt {
  const text = prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n")
  const note = `[cut: of ${text.length} characters]`
  return [{ type: "text", text: headAndTail(text, text, excerptCharacters, note) }]
}

const withoutMedia = (prompt: Prompt): readonly TextBlock[] =>
  prompt.map((block) =>
    block.type === "text" ? block : { type: "text", text: `[${block.type} that the user gave, left out to make room]` },
  )

function extrasWithin(extras: readonly Attachment[], most: number): readonly Attachment[] {
  let left = most
  return extras.flatMap(({ text, ...source }) => {
    const short = text.length > extraTokens * 4 ? `${text.slice(0, extraTokens * 4).toWellFormed()}\n[cut]` : text
    const tokens = estimateTokens(short)
    if (tokens > left) return []
    left -= tokens
    return [{ ...source, text: short }]
  })
}

const beginningWords = (transcript: string | undefined, what: "before" | "after"): string =>
  `This conversation was longer and has been made smaller: what follows takes the place of ${what === "before" ? "its earlier part" : "what came after this point"}. ${
    transcript === undefined
      ? ""
      : `All of it, word for word, is in ${transcript} (one JSON entry a line): search there when a detail is missing. `
  }Go on where it stands, without a greeting, a recap or a question whether to go on. Files not shown below must be read again before you change them.`

const promptWords = (leftOut: number): string =>
  `What the user wrote so far, word for word, oldest first.${leftOut === 0 ? "" : ` ${leftOut} older ${leftOut === 1 ? "message is" : "messages are"} left out; the summary covers them.`} All of it still applies unless they took it back:`

const nextWords = "The next message of the user:"
const newestWords = "The user's newest message, word for word, which you are working on:"
const answeredWords = "The user's last message before this point, word for word, which you have answered:"
