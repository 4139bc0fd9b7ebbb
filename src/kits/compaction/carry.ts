/** Packs the new conversation: what is carried over word for word, the summary of the rest, and what is shown again. */

import type { Said } from "#agent/words/entry.ts"
import type { Message, PromptBlock, TextBlock, UserBlock } from "#agent/words/message.ts"
import { escapeImitations, reminder } from "#agent/words/reminder.ts"
import { headAndTail } from "#lib/head-and-tail.ts"
import { estimateTokens } from "#lib/tokens.ts"
import type { Prompt } from "./prompts.ts"
import { fileWords, type RecentFile } from "./restore.ts"
import { shrink } from "./shrink.ts"
import { tokensOfBlocks, tokensOfMessages } from "./size.ts"
import { smallerTail } from "./tail.ts"

export interface Luggage {
  /** Memory files and what else stands before the first prompt. */
  readonly context: readonly string[]
  /** All of them, oldest first. */
  readonly prompts: readonly Prompt[]
  readonly summary: string
  /** The list of work, the plan, what runs: shown whole. */
  readonly state: readonly string[]
  /** Newest first. */
  readonly files: readonly RecentFile[]
  /** What is shown again as far as there is room, such as skills. */
  readonly extras: readonly string[]
  /** The end of the conversation, kept as it is. */
  readonly tail: readonly Message[]
  /** Where the whole conversation can be looked up. */
  readonly transcript: string | undefined
}

export interface Packed {
  readonly messages: readonly Message[]
  readonly said: readonly Said[]
  readonly files: readonly string[]
}

const olderPromptTokens = 20_000
const fileTokens = 5_000
/** Less of a file would be mostly its name. */
const leastFileTokens = 200
const extraTokens = 5_000
const extrasTokens = 25_000
/** A prompt too long to be carried whole leaves so much of its beginning and end. */
const excerptCharacters = 4_000

/** `room` is a goal in tokens: what must be carried is, whatever it costs; the rest gets what is left. */
export function pack(luggage: Luggage, room: number): Packed {
  const fixed = [...luggage.context, luggage.summary, ...luggage.state].reduce(
    (sum, text) => sum + estimateTokens(text),
    0,
  )
  const tail = smallerTail(shrink(luggage.tail, "media"), Math.max(room - fixed, room / 2))
  const prompts = luggage.prompts.map(withoutMedia)
  const { before, saidInTail } = partedAt(prompts, tail)
  const newest = saidInTail.length > 0 ? undefined : before.at(-1)
  const older = newest ? before.slice(0, -1) : before

  let left = room - fixed - tokensOfMessages(tail) - tokensOfBlocks(newest ?? [])
  const { kept, leftOut } = olderWithin(older, Math.max(0, Math.min(olderPromptTokens, left)))
  left -= kept.reduce((sum, prompt) => sum + tokensOfBlocks(prompt), 0)
  const files = luggage.files.flatMap((file) => {
    if (left < leastFileTokens) return []
    const text = fileWords(file, Math.min(fileTokens, left - leastFileTokens / 2))
    left -= estimateTokens(text)
    return [{ real: file.real, text }]
  })
  const extras = extrasWithin(luggage.extras, Math.min(extrasTokens, left))

  const page = openPage()
  for (const text of luggage.context) page.say(text)
  page.say(beginningWords(luggage.transcript))
  if (kept.length > 0) page.say(promptWords(leftOut))
  kept.forEach((prompt, index) => {
    if (index > 0) page.say("The next message of the user:")
    page.quote(prompt)
  })
  page.say(escapeImitations(`The summary of the conversation before this point:\n\n${luggage.summary}`))
  for (const text of [...luggage.state, ...files.map(({ text: words }) => words), ...extras]) page.say(text)
  if (newest) {
    page.say(newestWords)
    page.quote(newest)
  }
  return {
    messages: [{ role: "user", content: page.blocks }, ...tail],
    said: [...page.said, ...saidInTail.map(({ message, blocks }) => ({ message: message + 1, blocks }))],
    files: files.map(({ real }) => real),
  }
}

/** The first message while it is written: what the program says and what the person said stay apart. */
function openPage() {
  const blocks: UserBlock[] = []
  const said: Said[] = []
  return {
    blocks,
    said,
    say: (text: string): void => void blocks.push({ type: "text", text: reminder(text) }),
    quote(prompt: Prompt): void {
      said.push({ message: 0, blocks: prompt.map((_, index) => blocks.length + index) })
      blocks.push(...prompt)
    },
  }
}

/** Which prompts are in the tail already, and where; those before it. */
function partedAt(
  prompts: readonly Prompt[],
  tail: readonly Message[],
): { readonly before: readonly Prompt[]; readonly saidInTail: readonly Said[] } {
  const saidInTail: Said[] = []
  // The same words may have been said twice: each block is the place of one prompt only.
  const taken = new Set<unknown>()
  let end = prompts.length
  for (; end > 0; end--) {
    const found = placeOf(prompts[end - 1] ?? [], tail, taken)
    if (!found) break
    saidInTail.unshift(found)
    for (const index of found.blocks) taken.add(tail[found.message]?.content[index])
  }
  return { before: prompts.slice(0, end), saidInTail }
}

function placeOf(prompt: Prompt, tail: readonly Message[], taken: ReadonlySet<unknown>): Said | undefined {
  for (const [message, { role, content }] of tail.entries()) {
    if (role !== "user") continue
    const blocks = prompt.map((block) => content.findIndex((other) => !taken.has(other) && isSameText(block, other)))
    if (blocks.length > 0 && blocks.every((index) => index >= 0)) return { message, blocks }
  }
  return undefined
}

const isSameText = (block: PromptBlock, other: Message["content"][number]): boolean =>
  block.type === "text" && other.type === "text" && block.text === other.text

/** The newest of the older prompts, as many as there is room for. */
function olderWithin(
  prompts: readonly Prompt[],
  most: number,
): { readonly kept: readonly Prompt[]; readonly leftOut: number } {
  const kept: Prompt[] = []
  let left = most
  for (const prompt of prompts.toReversed()) {
    const fitting = [prompt, excerptOf(prompt)].find((form) => tokensOfBlocks(form) <= left)
    if (!fitting) continue
    kept.unshift(fitting)
    left -= tokensOfBlocks(fitting)
  }
  return { kept, leftOut: prompts.length - kept.length }
}

function excerptOf(prompt: Prompt): Prompt {
  const text = prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n")
  const note = `[cut: of ${text.length} characters]`
  return [{ type: "text", text: headAndTail(text, text, excerptCharacters, note) }]
}

const withoutMedia = (prompt: Prompt): readonly TextBlock[] =>
  prompt.map((block) =>
    block.type === "text" ? block : { type: "text", text: `[${block.type} that the user gave, left out to make room]` },
  )

function extrasWithin(extras: readonly string[], most: number): readonly string[] {
  let left = most
  return extras.flatMap((text) => {
    const short = text.length > extraTokens * 4 ? `${text.slice(0, extraTokens * 4).toWellFormed()}\n[cut]` : text
    const tokens = estimateTokens(short)
    if (tokens > left) return []
    left -= tokens
    return [short]
  })
}

const beginningWords = (transcript: string | undefined): string =>
  `This conversation was longer and has been made smaller: what follows takes the place of its earlier part. ${
    transcript === undefined
      ? ""
      : `All of it, word for word, is in ${transcript} (one JSON entry a line): search there when a detail is missing. `
  }Go on where it stands, without a greeting, a recap or a question whether to go on. Files not shown below must be read again before you change them.`

const promptWords = (leftOut: number): string =>
  `What the user wrote so far, word for word, oldest first.${leftOut === 0 ? "" : ` ${leftOut} older ${leftOut === 1 ? "message is" : "messages are"} left out; the summary covers them.`} All of it still holds unless they took it back:`

const newestWords = "The user's newest message, word for word, which you are working on:"
