/** Asks the model for a summary: the same conversation with one more question, so that the cached prefix is used. */

import type { SummaryAsk } from "#agent/words/entry.ts"
import { type AnyBlock, type Message, textOf, type UserMessage } from "#agent/words/message.ts"
import type { Model, ModelFailure, Request, Retry, StopReason, Usage } from "#agent/words/model.ts"
import { openReply } from "#agent/words/reply.ts"
import { tokensOfMessages } from "#agent/words/weight.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { newestShare, type SummarizedPart } from "./cut.ts"
import { shrink } from "./shrink.ts"

export interface Reserved {
  /** As much output as the budget covers. */
  readonly maxOutput: number
  readonly settle: (usage: Usage) => unknown
}

export interface SummaryPorts {
  readonly model: Model
  readonly reserve: (request: Request, inputTokens: number) => Promise<Result<Reserved, string>>
  readonly sent: (request: Request, ask: SummaryAsk) => void
  readonly retrying?: (retry: Retry) => void
}

export interface Summary {
  readonly text: string
  readonly stopReason: StopReason | undefined
}

/** An ordinary request, of which everything but the last question stays the same. */
export interface SummaryQuestion {
  readonly ordinary: Request
  readonly part: SummarizedPart
  readonly inputTokens: number
  readonly instructions: string | undefined
  readonly isAdded: (block: AnyBlock) => boolean
  /** Nothing waits for it. */
  readonly ahead?: true
  /** Tokens that fit in the window beside the answer. */
  readonly effective: number
  readonly window: number
}

/** How much of the conversation is kept if it is too long: less with each attempt. */
const shares = [0.75, 0.5, 0.25] as const

const mostOutput = 20_000
const leastOutput = 256

export async function askSummary(
  ports: SummaryPorts,
  question: SummaryQuestion,
  signal: AbortSignal,
): Promise<Result<Summary, string>> {
  const { ordinary, inputTokens, effective } = question
  const fixed = Math.max(0, inputTokens - tokensOfMessages(ordinary.messages))
  const words = questionWords(question.instructions, wordsAbout(question))
  const tries = triesOf(question, words).map((one) => ({ ...one, tokens: fixed + tokensOfMessages(one.messages) }))
  let why = "the conversation was too long to be summarized"
  // What cannot fit is not tried, unless nothing smaller is left.
  const first = tries.findIndex(({ tokens }) => tokens <= effective)
  for (const { ask, messages, tokens } of tries.slice(first === -1 ? -1 : first)) {
    const room = Math.max(leastOutput, question.window - Math.ceil(tokens * 1.25))
    const request = requestFor({ ...ordinary, maxTokens: Math.min(ordinary.maxTokens, room) }, messages)
    const asked = await askOnce(ports, request, { ask, inputTokens: tokens }, signal)
    if (asked.ok) return asked
    why = asked.failure.message
    if (signal.aborted || asked.failure.kind !== "too_long") return failed(why)
  }
  return failed(why)
}

/** The ways to ask, each with less of the conversation. */
function triesOf(
  { ordinary, inputTokens, effective, instructions, part, ahead }: SummaryQuestion,
  words: string,
): readonly { readonly ask: SummaryAsk; readonly messages: readonly Message[] }[] {
  const isWhole = inputTokens + estimateTokens(words) <= effective
  return [0, ...shares.map((_, index) => index + 1)].slice(isWhole ? 0 : 1).flatMap((attempt) => {
    const ask: SummaryAsk = {
      attempt,
      question: words,
      instructions: instructions?.trim() ?? "",
      ...(part.kind === "before" && { first: part.at }),
      ...(ahead && { ahead }),
    }
    const messages = summaryMessages(ordinary.messages, ask)
    return messages ? [{ ask, messages }] : []
  })
}

/** The messages of a summary request: the whole conversation at first, then without its oldest turns and its images. */
export function summaryMessages(
  conversation: readonly Message[],
  { attempt, question, first }: SummaryAsk,
): readonly Message[] | undefined {
  const asked = first === undefined ? conversation : conversation.slice(0, first)
  const share = shares[attempt - 1]
  if (share === undefined) return withQuestion(asked, question)
  const plain = shrink(asked, "media")
  const newest = newestShare(plain, share)
  return newest && withQuestion([leftOut(plain.length - newest.length), ...newest], question)
}

const leftOut = (count: number): UserMessage => ({
  role: "user",
  content: [{ type: "text", text: `[The first ${count} messages of this conversation were left out to make room.]` }],
})

function requestFor(ordinary: Request, messages: readonly Message[]): Request {
  const { thinking } = ordinary
  const enough = Math.min(ordinary.maxTokens, mostOutput)
  return {
    ...ordinary,
    messages,
    // Changing the thinking mode would invalidate the cached prefix, so its budget decides.
    maxTokens: thinking.type !== "off" && (thinking.tokens ?? enough) >= enough ? ordinary.maxTokens : enough,
    purpose: "summary",
    delivery: "stream",
    repeat: 0,
  }
}

function withQuestion(messages: readonly Message[], text: string): readonly Message[] {
  const last = messages.at(-1)
  const block = { type: "text", text } as const
  if (last?.role !== "user") return [...messages, { role: "user", content: [block] }]
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, block] }]
}

async function askOnce(
  { model, reserve, sent, retrying }: SummaryPorts,
  request: Request,
  { ask, inputTokens }: { readonly ask: SummaryAsk; readonly inputTokens: number },
  signal: AbortSignal,
): Promise<Result<Summary, Pick<ModelFailure, "kind" | "message">>> {
  const reserved = await reserve(request, inputTokens)
  if (!reserved.ok) return failed({ kind: "rejected", message: reserved.failure })
  const affordable = { ...request, maxTokens: reserved.value.maxOutput }
  sent(affordable, ask)
  const reply = openReply()
  for await (const event of model.stream(affordable, signal)) {
    reply.onEvent(event)
    if (event.type === "retry") retrying?.(event.retry)
  }
  reserved.value.settle(reply.usage())
  const failure = reply.failure()
  if (failure) return failed(failure)
  const text = reply.passages().map((passage) => passage.text)
  return ok({ text: inside(text.join("")), stopReason: reply.stopReason() })
}

/** The summary between the tags, if the model used them. */
function inside(text: string): string {
  const open = text.indexOf(openMark)
  if (open < 0) return text.trim()
  const close = text.lastIndexOf(closeMark)
  return text.slice(open + openMark.length, close > open ? close : undefined).trim()
}

const openMark = "<summary>"
const closeMark = "</summary>"

/** If only the end is summarized, the words it begins with. */
function wordsAbout({ ordinary, part, isAdded }: SummaryQuestion): string {
  if (part.kind !== "after") return ""
  const text = textOf(ordinary.messages[part.at]?.content.filter((block) => !isAdded(block)) ?? [])
  const words = text.trim().slice(0, quotedCharacters).toWellFormed()
  return `\n\nSummarize only what came from this message of the user on; what was before it stays as it is:\n${words}`
}

const quotedCharacters = 400

const questionWords = (
  instructions: string | undefined,
  about: string,
): string => `The conversation gets too long for your window. Write a summary that takes its place: you will continue with nothing but it, the user's messages word for word, and the state of your files and lists. Answer with text only and do not call any tool: calls are not carried out now.

Put it between ${openMark} and ${closeMark}, in these sections:
1. Request and intent: what the user wants, in full, with every constraint they set.
2. Technical facts: the languages, libraries, commands and conventions that matter here.
3. Files and code: each file you read, changed or made, why it matters, and the passages that are needed to go on.
4. Errors and fixes: what failed, how it was fixed, what the user said about it.
5. Decisions: problems solved, ways that were tried and given up, and why.
6. What the user said: the wishes and corrections that still hold, briefly; their messages are kept beside your summary.
7. Open tasks: what was asked for and is not done.
8. Current work: what you were doing just now, with paths and names.
9. Next step: the one that follows from the last request, with the words of the user it follows from; none if everything is done.

Be exact with names, paths, numbers and commands. Leave out what no longer matters. Do not invent anything.${about}${
  instructions === undefined || instructions.trim() === "" ? "" : wishWords + instructions.trim()
}`

const wishWords = "\n\nThe user asks of the summary in particular:\n"
