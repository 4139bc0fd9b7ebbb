/**
 * Fits a request to what its model can do, for every wire format: what the model cannot take is replaced by words or
 * left out, so that formats only encode.
 */

import type { AssistantBlock, DocumentBlock, ImageBlock, Message, TextBlock, UserBlock } from "#agent/words/message.ts"
import type { ModelFacts, Request } from "#agent/words/model.ts"
import { nearestEffort, type Thinking, type ThinkingAbility } from "#agent/words/thinking.ts"
import { onceFor } from "#lib/once-each.ts"
import type { WireFormat } from "./format.ts"

type FitMessages = (messages: readonly Message[], facts: ModelFacts) => readonly Message[]

/** Messages that need no change keep their identity. */
export function fitted(request: Request, facts: ModelFacts, messages: FitMessages = fittedMessages): Request {
  const { serverTools, ...rest } = request
  return {
    ...rest,
    ...(serverTools && facts.searchesWeb === true && { serverTools }),
    tools: facts.tools === "never" ? [] : request.tools,
    messages: messages(request.messages, facts),
    maxTokens: Math.min(request.maxTokens, facts.maxOutput),
    thinking: fittedThinking(request.thinking, facts.thinks),
  }
}

/** What the user should know about a request: what is assumed, and what the model is not given of it, in a line each. */
export function requestNotes({ messages, model, tools }: Request, facts: ModelFacts): readonly string[] {
  const { images, documents } = facts
  const isLimited = images === false || documents === false
  const media = new Set(isLimited ? messages.flatMap(({ content }) => content.flatMap(mediaIn)) : [])
  return [
    ...(facts.assumed === undefined ? [] : [facts.assumed]),
    ...(facts.refused?.() ?? []),
    ...(images === false && media.has("image") ? [`${model} cannot see pictures: it is told that there was one.`] : []),
    ...(documents === false && media.has("document")
      ? [`${model} cannot read PDF files: it is told that there was one.`]
      : []),
    ...(facts.tools === "never" && tools.length > 0 ? [`${model} takes no tools: it can only answer in words.`] : []),
  ]
}

/** A format that gets fitted requests. A message that was changed is the same in every request, so that its bytes are. */
export function fitting<Format extends Pick<WireFormat, "encode" | "adapt">>(
  format: Format,
  factsOf: (model: string) => ModelFacts,
  /** Hears what a model turned out not to take. */
  onRefused: (model: string, line: string) => void = () => {},
): Format {
  const messagesFor = onceFor((facts: ModelFacts): FitMessages => {
    const one = onceFor((message: Message) => fittedMessage(message, facts))
    const apart = onceFor((results: Message) => onceFor((calls: Message) => oneByOne(calls, results)))
    return (messages) => fittedMessages(messages, facts, one, (calls, results) => apart(results)(calls))
  })
  const fit = (request: Request): Request => {
    const facts = factsOf(request.model)
    return fitted(request, facts, messagesFor(facts))
  }
  const { encode, adapt } = format
  return {
    ...format,
    encode: (request) => encode(fit(request)),
    ...(adapt && {
      adapt(request, refusal) {
        const line = adapt(fit(request), refusal)
        if (line !== undefined) onRefused(request.model, line)
        return line
      },
    }),
  }
}

function fittedMessages(
  messages: readonly Message[],
  facts: ModelFacts,
  one: (message: Message) => Message = (message) => fittedMessage(message, facts),
  apart: typeof oneByOne = oneByOne,
): readonly Message[] {
  const takesAll = facts.images !== false && facts.documents !== false && facts.tools !== "never"
  const fit = takesAll ? messages : messages.map(one)
  if (facts.parallelCalls !== "never") return fit
  return fit.flatMap((message, index) => {
    if (message.role === "assistant") {
      const next = fit[index + 1]
      return next && callsIn(message) > 1 ? [] : [message]
    }
    const before = fit[index - 1]
    return before && callsIn(before) > 1 ? apart(before, message) : [message]
  })
}

function fittedMessage(message: Message, facts: ModelFacts): Message {
  if (message.role === "user") {
    const isUnfit = (block: UserBlock): boolean =>
      mediaIn(block).some((kind) => !takes(kind, facts)) || (facts.tools === "never" && block.type === "tool_result")
    return message.content.some(isUnfit)
      ? { ...message, content: message.content.flatMap((block) => userBlocks(block, facts)) }
      : message
  }
  if (facts.tools !== "never" || callsIn(message) === 0) return message
  return { ...message, content: message.content.map(callInWords) }
}

const takes = (kind: "image" | "document", { images, documents }: ModelFacts): boolean =>
  (kind === "image" ? images : documents) !== false

function mediaIn(block: UserBlock | AssistantBlock): readonly ("image" | "document")[] {
  if (block.type === "image" || block.type === "document") return [block.type]
  if (block.type !== "tool_result" || typeof block.content === "string") return []
  return block.content.flatMap(({ type }) => (type === "image" || type === "document" ? [type] : []))
}

function userBlocks(block: UserBlock, facts: ModelFacts): readonly UserBlock[] {
  if (block.type !== "tool_result") return [mediaInWords(block, facts)]
  const { content } = block
  const inner = typeof content === "string" ? content : content.map((part) => mediaInWords(part, facts))
  if (facts.tools !== "never") return [{ ...block, content: inner }]
  const parts = typeof inner === "string" ? [text(inner)] : inner
  return [text("[The tool's result:]"), ...parts.filter((part) => part.type !== "tool_reference")]
}

function mediaInWords<Other extends { readonly type: string }>(
  block: Other | ImageBlock | DocumentBlock,
  facts: ModelFacts,
): Other | ImageBlock | DocumentBlock | TextBlock {
  if (isImage(block) && !takes("image", facts)) return text("[A picture, which this model cannot see.]")
  if (isDocument(block) && !takes("document", facts))
    return text(`[A document${block.title ? ` (${block.title})` : ""}, which this model cannot read.]`)
  return block
}

const isImage = (block: { readonly type: string }): block is ImageBlock => block.type === "image"
const isDocument = (block: { readonly type: string }): block is DocumentBlock => block.type === "document"

const callInWords = (block: AssistantBlock): AssistantBlock =>
  block.type === "tool_use" ? text(`[Called the tool ${block.name} with ${JSON.stringify(block.input)}]`) : block

const text = (words: string): TextBlock => ({ type: "text", text: words })

const callsIn = (message: Message): number =>
  message.role === "user" ? 0 : message.content.filter(({ type }) => type === "tool_use").length

/** Each call in a message of its own, followed by its result; what else was said stays first and last. */
function oneByOne(calls: Message, results: Message): readonly Message[] {
  if (calls.role !== "assistant" || results.role !== "user") return [calls, results]
  const uses = calls.content.filter((block) => block.type === "tool_use")
  const said = calls.content.filter(({ type }) => type !== "tool_use")
  const rest = results.content.filter(({ type }) => type !== "tool_result")
  return uses.flatMap((use, index): readonly Message[] => [
    { ...calls, content: index === 0 ? [...said, use] : [use] },
    {
      ...results,
      content: [
        ...results.content.filter((block) => block.type === "tool_result" && block.tool_use_id === use.id),
        ...(index === uses.length - 1 ? rest : []),
      ],
    },
  ])
}

/** An effort that the model has. How thinking is switched off is for the format to say. */
function fittedThinking(thinking: Thinking, ability: ThinkingAbility | undefined): Thinking {
  const effort = thinking.effort && ability?.efforts.length && nearestEffort(thinking.effort, ability.efforts)
  return effort ? { ...thinking, effort } : thinking
}
