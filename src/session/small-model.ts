/** Questions to the small fast model: one request, one text. */

import type { Model, ModelFailure, Usage } from "#agent/words/model.ts"
import { addUsage, noUsage } from "#agent/words/model.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { textWeight } from "./weight.ts"

export interface SmallQuestion {
  readonly system: string
  readonly user: string
}

export type AskSmall = (question: SmallQuestion, signal: AbortSignal) => Promise<Result<string, string>>

const maxTokens = 4_096

export function openSmallModel({
  port,
  model,
  ledger,
}: {
  readonly port: Model
  readonly model: string
  readonly ledger: Ledger
}): AskSmall {
  return async ({ system, user }, signal) => {
    const inputTokens = textWeight(system).tokens + textWeight(user).tokens
    const reserved = ledger.reserve({ who: "small model", model, inputTokens, maxOutput: maxTokens })
    if (!reserved.ok) return failed(reserved.failure.message)
    const parts: string[] = []
    let usage: Usage = noUsage
    let failure: ModelFailure | undefined
    const request = {
      model,
      system: [{ text: system }],
      tools: [],
      messages: [{ role: "user" as const, content: [{ type: "text" as const, text: user }] }],
      maxTokens,
      thinking: { type: "off" as const },
      delivery: "stream" as const,
      repeat: 0,
    }
    for await (const event of port.stream(request, signal)) {
      if (event.type === "message_start") usage = addUsage(noUsage, event.usage)
      if (event.type === "text_delta") parts.push(event.text)
      if (event.type === "message_delta") usage = { ...usage, ...event.usage }
      if (event.type === "error") failure = event.failure
    }
    reserved.value.settle(usage)
    return failure ? failed(failure.message) : ok(parts.join(""))
  }
}
