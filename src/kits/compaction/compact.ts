/** One compaction: asks for a summary, checks it, extracts one if it is unusable, and packs the new conversation. See decision 22. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"
import { type AnyBlock, type Message, textOf } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import type { Todo } from "#agent/words/todo.ts"
import { tokensOfMessages } from "#agent/words/weight.ts"
import { decode } from "#ground/workspace/text.ts"
import { shortNumber } from "#lib/figures.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { optional } from "#lib/optional.ts"
import { addedIn, type SourceOf } from "./added.ts"
import { type Ahead, mostSince, type SummaryAhead } from "./ahead.ts"
import { type CarriedContext, pack, type Packed } from "./carry.ts"
import { lastPair, type SummarizedPart } from "./cut.ts"
import { extract } from "./extract.ts"
import { complaintAbout } from "./judge.ts"
import type { Levels } from "./levels.ts"
import { placesOf } from "./places.ts"
import type { Prompt } from "./prompts.ts"
import {
  type FilesGround,
  type PlanFile,
  planWords,
  recentFiles,
  type RunningTask,
  runningWords,
  todoWords,
} from "./restore.ts"
import { askSummary, type SummaryPorts } from "./summarize.ts"

export interface CompactPorts extends SummaryPorts, FilesGround {
  readonly context: (signal: AbortSignal) => Promise<readonly Attachment[]>
  readonly sourceOf: SourceOf
  /** Whether the context repeats attachments of this name. */
  readonly isContext: (name: string) => boolean
  /** Whether attachments of this name are about how full the context was, and wrong afterwards. */
  readonly isAboutFullness?: (name: string) => boolean
  readonly running: () => readonly RunningTask[]
  readonly extras?: () => readonly Attachment[]
  readonly plan: () => PlanFile | undefined
  readonly standing: () => readonly EntryBody[]
  readonly transcript: string | undefined
  readonly hooks?: CompactionHooks
  /**
   * The memory of the session in place of a summary, and the message up to which it covers the conversation. Has
   * `files` if it is a summary made ahead, as in the replay of a session.
   */
  readonly memory?: (
    question: { readonly messages: number; readonly mostTokens: number },
    signal: AbortSignal,
  ) => Promise<(Omit<SummaryAhead, "files"> & Partial<Pick<SummaryAhead, "files">>) | undefined>
  readonly ahead?: Pick<Ahead, "usable">
}

export interface CompactionHooks {
  /** Before: instructions for the summary, or why it must not happen. */
  readonly preCompact?: (
    about: { readonly trigger: "auto" | "manual"; readonly instructions: string | undefined },
    signal: AbortSignal,
  ) => Promise<{ readonly instructions?: string; readonly blocked?: string }>
  /** After: what the model should know from the start. */
  readonly sessionStart?: (source: "compact", signal: AbortSignal) => Promise<readonly string[]>
  readonly postCompact?: (
    about: { readonly trigger: "auto" | "manual"; readonly summary: string },
    signal: AbortSignal,
  ) => Promise<void>
}

export interface CompactQuestion {
  readonly trigger: "auto" | "manual"
  readonly instructions: string | undefined
  readonly part: SummarizedPart
  readonly ordinary: Request
  readonly preTokens: number
  readonly fixedTokens: number
  readonly levels: Levels
  readonly prompts: readonly Prompt[]
  readonly todos: readonly Todo[]
}

type CompactionBody = EntryBody & { readonly kind: "compaction" }

const goalTokens = 48_000
/** Saving less than this is not worth losing the conversation. */
const leastProgress = 0.95
const extractCharacters = 16_000
/** How much of the room messages may take that the session's memory does not cover. */
const keptShare = 0.7

export async function compactWith(
  ports: CompactPorts,
  asked: CompactQuestion,
  signal: AbortSignal,
): Promise<Result<CompactionBody, string>> {
  const { trigger, preTokens, levels } = asked
  const hook = await ports.hooks?.preCompact?.({ trigger, instructions: asked.instructions }, signal)
  if (hook?.blocked !== undefined) return failed(`A hook stopped the compaction: ${hook.blocked}`)
  const instructions = [asked.instructions, hook?.instructions].filter((text) => text?.trim()).join("\n")

  const remembered = instructions === "" ? await rememberedPart(ports, asked, signal) : undefined
  const question = remembered?.question ?? asked
  const join = joining(remembered?.ahead, asked, ports)
  const source = summarized(question)
  const summary = remembered ? ok(remembered.text) : await summaryOf(ports, question, instructions, signal)
  if (signal.aborted) return failed("The compaction was interrupted; nothing was changed.")
  const carried = await carriedContext(ports, question, signal)
  const room = roomFor(question)
  const size = ({ messages }: Packed): number => question.fixedTokens + tokensOfMessages(messages)

  let failure = summary.ok ? undefined : summary.failure
  let by: CompactionBody["by"] = remembered && !remembered.ahead ? "memory" : summary.ok ? "model" : "extract"
  let text = summary.ok ? summary.value : extract(source, Math.min(extractCharacters, room))
  let packed = join(pack({ ...carried, summary: text }, room))
  // What the user wants to keep is kept, even if it is large. Not small enough counts as a failure, or it would be retried forever.
  if (asked.part.kind === "all" && summary.ok && size(packed) >= levels.auto) {
    failure = "with the summary the conversation was still too long"
    by = "extract"
    text = extract(summarized(asked), Math.min(extractCharacters, room))
    packed = join(pack({ ...carried, summary: text, files: [], extras: [], tail: [] }, room))
  }
  const postTokens = size(packed)
  if (postTokens > preTokens * leastProgress)
    return failed(
      trigger === "manual" && preTokens < levels.auto
        ? "Nothing to compact yet."
        : `Nearly all of the ${shortNumber(preTokens)} tokens must stay, so compacting does not help. Use /clear to start over.`,
    )
  return ok({
    kind: "compaction",
    trigger,
    preTokens,
    postTokens,
    by,
    summary: text,
    messages: packed.messages,
    standing: ports.standing(),
    said: packed.said,
    added: packed.added,
    files: packed.files,
    running: ports.running().map(({ id }) => id),
    ...optional("covers", remembered?.ahead?.at),
    ...(failure !== undefined && { failure }),
  })
}

/** A summary of our own, to be used when the conversation is compacted. */
export async function summarizeAhead(
  ports: CompactPorts,
  question: CompactQuestion,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const { messages } = question.ordinary
  const mostTokens = Math.floor(roomFor(question) * keptShare)
  const memory = await ports.memory?.({ messages: messages.length, mostTokens }, signal)
  if (memory) return failed("the memory of the session makes it unnecessary")
  if (signal.aborted) return failed("it was interrupted")
  const part = { kind: "before", at: messages.length } as const
  return summaryOf(ports, { ...question, part }, "", signal, true)
}

interface Remembered {
  readonly question: CompactQuestion
  readonly text: string
  readonly ahead?: SummaryAhead
}

/** A summary made ahead, or the session's memory in place of one: what it does not cover is kept as it is. */
async function rememberedPart(
  ports: CompactPorts,
  question: CompactQuestion,
  signal: AbortSignal,
): Promise<Remembered | undefined> {
  const { messages } = question.ordinary
  if (question.part.kind !== "all") return undefined
  const made = await ports.ahead?.usable(mostSince(question.levels, question.fixedTokens), signal)
  if (made) return rememberedAhead(question, made)
  const mostTokens = Math.floor(roomFor(question) * keptShare)
  const memory = await ports.memory?.({ messages: messages.length, mostTokens }, signal)
  if (!memory) return undefined
  const { files } = memory
  if (files) return rememberedAhead(question, { ...memory, files })
  const covered = messages.slice(0, memory.at)
  const source = { text: sourceText(covered), tokens: tokensOfMessages(covered) }
  if (complaintAbout({ text: memory.text, stopReason: "end_turn" }, source) !== undefined) return undefined
  return { question: { ...question, part: { kind: "before", at: memory.at } }, text: memory.text }
}

/** The conversation as it was then is packed, as if it had been compacted there. */
function rememberedAhead(question: CompactQuestion, ahead: SummaryAhead): Remembered {
  const { ordinary } = question
  const places = placesOf(question.prompts, ordinary.messages)
  const since = places.findIndex((place) => place !== undefined && place.message >= ahead.at)
  const prompts = since < 0 ? question.prompts : question.prompts.slice(0, since)
  return {
    text: ahead.text,
    ahead,
    question: { ...question, prompts, ordinary: { ...ordinary, messages: ordinary.messages.slice(0, ahead.at) } },
  }
}

/** Adds what came since a summary made ahead, as it was. */
function joining(
  ahead: SummaryAhead | undefined,
  { ordinary, prompts }: CompactQuestion,
  { sourceOf, isAboutFullness = () => false }: Pick<CompactPorts, "sourceOf" | "isAboutFullness">,
): (packed: Packed) => Packed {
  if (!ahead) return (packed) => packed
  const isOver = (block: AnyBlock): boolean => {
    const source = sourceOf(block)
    return source !== undefined && isAboutFullness(source.name)
  }
  const since = ordinary.messages.slice(ahead.at).map((message) => without(message, isOver))
  const all = [...ordinary.messages.slice(0, ahead.at), ...since]
  const places = placesOf(prompts, all).filter((place) => place !== undefined)
  return ({ messages, said, added, files }) => {
    const moved =
      <P extends { readonly message: number }>(by: number) =>
      (place: P): P => ({
        ...place,
        message: place.message + by,
      })
    return {
      messages: [...messages, ...since],
      said: [...said, ...places.filter(({ message }) => message >= ahead.at).map(moved(messages.length - ahead.at))],
      added: [...added, ...addedIn(since, sourceOf).map(moved(messages.length))],
      files: [...new Set([...files, ...ahead.files])],
    }
  }
}

function summarized({ ordinary: { messages }, part }: CompactQuestion): readonly Message[] {
  switch (part.kind) {
    case "all":
      return messages
    case "before":
      return messages.slice(0, part.at)
    case "after":
      return messages.slice(part.at)
  }
}

async function summaryOf(
  ports: CompactPorts,
  question: CompactQuestion,
  instructions: string,
  signal: AbortSignal,
  ahead?: true,
): Promise<Result<string, string>> {
  const { ordinary, part, preTokens, levels } = question
  const asked = await askSummary(
    ports,
    {
      ordinary,
      part,
      inputTokens: preTokens,
      instructions,
      isAdded: (block) => ports.sourceOf(block) !== undefined,
      ...(ahead && { ahead }),
      effective: levels.effective,
      window: levels.window,
    },
    signal,
  )
  if (!asked.ok) return asked
  const messages = summarized(question)
  const source = { text: sourceText(messages), tokens: tokensOfMessages(messages) }
  const complaint = complaintAbout(asked.value, source)
  return complaint === undefined ? ok(asked.value.text) : failed(complaint)
}

const sourceText = (messages: readonly Message[]): string =>
  messages
    .flatMap(({ content }) =>
      content.map((block) => {
        if (block.type === "tool_use") return JSON.stringify(block.input)
        return block.type === "tool_result" ? textOf(block.content) : textOf([block])
      }),
    )
    .join("\n")

/** Half of the level that triggers the next one, so that there is room to work; never more than the target. */
const roomFor = ({ levels, fixedTokens }: CompactQuestion): number =>
  Math.max(1_000, Math.min(goalTokens - fixedTokens, Math.floor((levels.auto - fixedTokens) / 2)))

async function carriedContext(
  ports: CompactPorts,
  question: CompactQuestion,
  signal: AbortSignal,
): Promise<Omit<CarriedContext, "summary">> {
  const { prompts, todos } = question
  const [context, files, plan, started] = await Promise.all([
    ports.context(signal),
    recentFiles(ports, signal),
    planText(ports, signal),
    ports.hooks?.sessionStart?.("compact", signal) ?? [],
  ])
  const state = [todoWords(todos), plan, runningWords(ports.running()), ...started]
  return {
    ...kept(question, (block) => {
      const source = ports.sourceOf(block)
      return source !== undefined && ports.isContext(source.name)
    }),
    sourceOf: ports.sourceOf,
    // The context at the beginning is still there.
    context: question.part.kind === "after" ? [] : context,
    prompts,
    isWorking: question.ordinary.messages.at(-1)?.role !== "assistant",
    files,
    state: state.filter((text) => text !== undefined),
    extras: ports.extras?.() ?? [],
    transcript: ports.transcript,
  }
}

function kept(
  { part, ordinary: { messages }, prompts }: CompactQuestion,
  isContext: (block: AnyBlock) => boolean,
): Pick<CarriedContext, "head" | "tail" | "tailStays"> {
  const withoutContext = (message: Message): Message => without(message, isContext)
  switch (part.kind) {
    case "all":
      return { tail: lastPair(messages).map(withoutContext) }
    case "before":
      return { tail: messages.slice(part.at).map(withoutContext), tailStays: "whole" }
    case "after": {
      const inHead = placesOf(prompts, messages).filter(
        (place) => place !== undefined && place.message < part.at,
      ).length
      return {
        head: { messages: messages.slice(0, part.at), prompts: inHead },
        tail: lastPair(messages.slice(part.at)),
      }
    }
  }
}

/** The message itself where nothing or everything would go. */
function without(message: Message, isLeftOut: (block: AnyBlock) => boolean): Message {
  if (message.role === "assistant") return message
  const content = message.content.filter((block) => !isLeftOut(block))
  return content.length === 0 || content.length === message.content.length ? message : { role: "user", content }
}

const largestPlan = 1_000_000

async function planText(ports: CompactPorts, signal: AbortSignal): Promise<string | undefined> {
  const plan = ports.plan()
  if (!plan) return undefined
  const content = await ports.files.read(plan.path, largestPlan, signal)
  const decoded = content.ok ? decode(content.value.bytes) : undefined
  return decoded?.ok ? planWords(plan.path, decoded.value.text, plan.isApproved) : undefined
}
