/** A side question: the model answers it with the conversation as context, but it never becomes part of the conversation. */

import type { Message } from "#agent/words/message.ts"
import type { Model, ModelFacts, Request } from "#agent/words/model.ts"
import { openReply } from "#agent/words/reply.ts"
import { textWeight } from "#agent/words/weight.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { leastOutputOf, withOutput } from "./output-limit.ts"
import type { SideSpent } from "./side-request.ts"

export type AskBeside = (question: string, signal: AbortSignal) => Promise<Result<string, string>>

export interface BesideParts {
  readonly port: Model
  readonly ledger: Ledger
  /** The next request of the conversation: the same beginning lets the provider's cache be used. */
  readonly ordinary: () => Request
  readonly facts: (model: string) => ModelFacts
  readonly size: () => number
  readonly onSpent: (spent: SideSpent) => void
}

const who = "side questions"
const mostOutput = 8_000

export function openBeside({ port, ledger, ordinary, facts, size, onSpent }: BesideParts): AskBeside {
  return async (question, signal) => {
    const next = ordinary()
    const text = framed(question)
    const request: Request = {
      ...next,
      messages: withQuestion(answered(next.messages), text),
      maxTokens: Math.min(next.maxTokens, Math.max(mostOutput, (next.thinking.tokens ?? 0) + mostOutput)),
      purpose: "aside",
    }
    const { model, maxTokens } = request
    const leastOutput = leastOutputOf(request, facts(model))
    const inputTokens = size() + textWeight(text).most
    const reserved = await ledger.reserve({ who, model, inputTokens, maxOutput: maxTokens, leastOutput })
    if (!reserved.ok) return failed(reserved.failure.message)
    const reply = openReply()
    for await (const event of port.stream(withOutput(request, reserved.value.maxOutput, facts(model)), signal))
      reply.onEvent(event)
    const usage = reply.usage()
    const costUsd = reserved.value.settle(usage)
    if (reply.begun()) onSpent({ who, model, usage, ...(costUsd !== undefined && { costUsd }) })
    const failure = reply.failure()
    if (failure) return failed(failure.message)
    const said = reply
      .passages()
      .map((passage) => passage.text)
      .join("")
      .trim()
    return said === "" ? failed("The model gave no answer in words. Ask again, or ask in the conversation.") : ok(said)
  }
}

const framed = (question: string): string =>
  [
    "<side-question>",
    question,
    "</side-question>",
    "The user asks this on the side. Answer it in a few sentences, from what you know and from the conversation above. Do not use tools and do not continue the task: neither the question nor your answer becomes part of the conversation.",
  ].join("\n")

/** Up to the last call with all its results: calls still running cannot be sent. */
function answered(messages: readonly Message[]): readonly Message[] {
  const at = messages.findLastIndex(
    ({ role, content }) => role === "assistant" && content.some(({ type }) => type === "tool_use"),
  )
  if (at === -1) return messages
  const results = new Set(
    messages[at + 1]?.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : [])),
  )
  const isWhole = messages[at]?.content.every((block) => block.type !== "tool_use" || results.has(block.id))
  return isWhole ? messages : messages.slice(0, at)
}

function withQuestion(messages: readonly Message[], text: string): readonly Message[] {
  const last = messages.at(-1)
  const block = { type: "text", text } as const
  if (last?.role !== "user") return [...messages, { role: "user", content: [block] }]
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, block] }]
}
