/** Assembles the next request from the log. What does not change between steps is made once and keeps its identity. */

import type { Prepared, RequestOptions } from "#agent/agent.ts"
import type { EntryBody, ShrinkRung, SummaryAsk } from "#agent/words/entry.ts"
import { type ConversationFollower, onEntryOfAll } from "#agent/words/follower.ts"
import type { ModelFacts, Request, Usage } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type { Weight } from "#agent/words/weight.ts"
import type { BudgetRefusal, Ledger, Reservation } from "#kits/budget/ledger.ts"
import type { Conversation } from "#kits/context/assemble.ts"
import { requestNotes } from "#ground/models/fitted.ts"
import { type Meter, openMeter } from "./meter.ts"
import { leastOutputOf, roomBeside, withOutput } from "./output-limit.ts"
import { openRequestRecord } from "./requests.ts"
import { shrinkWords } from "./recover.ts"
import { redirected, type ToolAliases } from "./redirect.ts"
import type { Setup } from "./setup.ts"
import { type ShortPrompt, shortPromptWords } from "./short-prompt.ts"
import type { Setups } from "./setups.ts"
import type { SessionState } from "#agent/words/state.ts"

export interface Preparation {
  readonly prepare: (
    wish: RequestOptions,
  ) => Promise<Prepared | { readonly kind: "over_budget"; readonly refusal: BudgetRefusal }>
  readonly tools: () => readonly AnyTool[]
  readonly ordinary: () => Request
  /** Call before sending a request for a summary. */
  readonly noteSummary: (request: Request, ask: SummaryAsk) => void
  readonly fixedTokens: () => number
  readonly meter: Pick<Meter, "next">
  readonly conversation: ConversationFollower
  readonly onRead: () => void
  /** Books the usage of the current request, and returns its cost where the model has a price. */
  readonly settle: (usage: Usage) => number | undefined
  /** Nothing came of the current request, so nothing is paid. */
  readonly release: () => void
  /** Waits until a request of another agent is paid. */
  readonly returned: (signal: AbortSignal) => Promise<void>
}

/** Providers accept at most 100 images, and refuse bodies over 32 MB. */
const mostMedia = 90
const mostBodyChars = 28_000_000

export function openPreparation(parts: {
  readonly conversation: Conversation
  readonly setup: Setup
  readonly setups: Setups
  /** Whether the model is told of tools that came or went; they can be called either way. */
  readonly tells: boolean
  readonly state: () => SessionState
  readonly factsOf: (model: string) => ModelFacts
  readonly ledger: Ledger
  readonly who: string
  readonly maxOutputTokens: number | undefined
  readonly aliases?: ToolAliases | undefined
  /** The short prompt with few tools, for a budget that the full one does not fit. */
  readonly shortPrompt: ShortPrompt
  readonly record: (body: EntryBody) => void
  readonly isAwake: () => boolean
}): Preparation {
  const { setup, setups } = parts
  const tools = (): readonly AnyTool[] => redirected(setup.tools(), parts.aliases)
  const fixed = (): Weight => setups.weightOf(setup.value())

  function requestFor({ delivery, repeat, output }: RequestOptions): Request {
    const { model, thinking } = parts.state()
    const facts = parts.factsOf(model)
    const most = Math.min(parts.maxOutputTokens ?? facts.maxOutput, facts.maxOutput)
    const maxTokens = output === "raised" ? most : Math.min(usualOutput, most)
    const request: Request = {
      model,
      ...setup.value(),
      messages: parts.conversation.messages(facts.provider),
      maxTokens,
      thinking,
      delivery,
      repeat,
    }
    return withOutput(request, Math.floor(facts.window / 4), facts)
  }
  const requests = openRequestRecord(parts.record, (model) => parts.factsOf(model).provider, setups)
  const meter = openMeter({ messages: parts.conversation.messages, fixed, isAwake: parts.isAwake })
  let reserved: Reservation | undefined
  const reportedLines = new Set<string>()

  /** Once for each model: what is left out of this request is left out of all that follow. */
  function reportOnce(lines: readonly string[]): void {
    const fresh = lines.filter((line) => !reportedLines.has(line))
    for (const text of fresh) parts.record({ kind: "notice", level: "info", text })
    for (const text of fresh) reportedLines.add(text)
  }

  function shrink(rung: ShrinkRung, why: string): void {
    parts.record({ kind: "notice", level: "info", text: shrinkWords(rung, why) })
    parts.record({ kind: "shrink", rung, why })
  }

  /** What the next request weighs, without what is too much for any. */
  function fittingSize(): Weight {
    const size = meter.next()
    const { media, chars } = size
    if (media > mostMedia) shrink("old_media", `There are more than ${mostMedia} images and documents`)
    if (chars > mostBodyChars) shrink("results", "The request grew too large")
    return media > mostMedia || chars > mostBodyChars ? meter.next() : size
  }

  async function attempt(wish: RequestOptions): ReturnType<Preparation["prepare"]> {
    // In the same tick as the tool list it describes, so that the two never disagree.
    const news = setup.ready()
    if (parts.tells) for (const attachment of news) parts.record({ kind: "attachment", ...attachment })
    const size = fittingSize()
    const wished = requestFor(wish)
    const facts = parts.factsOf(wished.model)
    // Servers refuse what does not fit into the window together with its answer.
    const request = withOutput(wished, roomBeside(facts, size), facts)
    const offered = tools()
    // A failed request returns its reservation; a settled one already has.
    reserved?.release()
    const reservation = await parts.ledger.reserve({
      who: parts.who,
      model: request.model,
      inputTokens: size.most,
      maxOutput: request.maxTokens,
      leastOutput: leastOutputOf(request, facts, parts.shortPrompt.isOn() ? "short" : "full"),
    })
    if (!reservation.ok) return { kind: "over_budget", refusal: reservation.failure }
    reserved = reservation.value
    const affordable = withOutput(request, reserved.maxOutput, facts)
    reportOnce(requestNotes(affordable, facts))
    requests.note(affordable)
    return { kind: "request", request: affordable, tools: offered }
  }

  return {
    settle(usage) {
      reportOnce(parts.factsOf(parts.state().model).refused?.() ?? [])
      return reserved?.settle(usage)
    },
    release: () => reserved?.release(),
    returned: parts.ledger.returned,
    conversation: {
      reset() {
        setup.reset()
        requests.reset()
        meter.conversation.reset()
      },
      onEntry: onEntryOfAll(setup.onEntry, requests.onEntry, meter.conversation.onEntry),
    },
    onRead: meter.onRead,
    tools,
    ordinary: () => requestFor({ delivery: "stream", repeat: 0, output: "usual" }),
    noteSummary: requests.note,
    fixedTokens: () => fixed().tokens,
    meter,
    async prepare(wish) {
      const prepared = await attempt(wish)
      const isOver = prepared.kind === "over_budget" && prepared.refusal.kind === "over_cap" && !prepared.refusal.held
      if (!isOver || !parts.shortPrompt.begin()) return prepared
      const short = await attempt(wish)
      if (short.kind === "over_budget") parts.shortPrompt.end()
      else parts.record({ kind: "notice", level: "info", text: shortPromptWords })
      return short
    },
  }
}

/** Enough for long answers; more is requested only after an answer was cut off. */
const usualOutput = 32_000
