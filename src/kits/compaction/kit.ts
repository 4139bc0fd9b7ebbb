/** The compaction kit: makes sure the conversation fits before a request, and says when it cannot. */

import type { End } from "#agent/words/end.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { onEntryOfAll } from "#agent/words/follower.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import type { Todo } from "#agent/words/todo.ts"
import { seenFile } from "#ground/workspace/seen.ts"
import { optional } from "#lib/optional.ts"
import { onceFor } from "#lib/once-each.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Op } from "#agent/words/op.ts"
import { aheadFrom, openAhead } from "./ahead.ts"
import type { CompactPorts, CompactQuestion } from "./compact.ts"
import { cutBefore, type SummarizedPart } from "./cut.ts"
import { openHistory } from "./history.ts"
import { levelsOf, type Levels, type Trigger, type Window } from "./levels.ts"
import { type CachedWindow, openOldResults, type OldResultsPorts } from "./old-results.ts"
import { placesOf } from "./places.ts"
import { openPrompts, type Prompts } from "./prompts.ts"

export interface CompactionChoice {
  /** `manual` compacts only on request, `never` not even then. */
  readonly when: "auto" | "manual" | "never"
  readonly trigger: Trigger
  /** Whether a summary is made while the user thinks, so that nobody waits for it. */
  readonly inBackground?: boolean
}

export interface CompactionPorts extends CompactPorts, Omit<OldResultsPorts, "answeredAt"> {
  readonly contextTokens: () => number
  readonly choice: CompactionChoice
  readonly window: () => Window & CachedWindow
  readonly todos: () => readonly Todo[]
  readonly ordinary: () => Request
  readonly fixedTokens: () => number
  readonly record: (body: EntryBody) => Entry | void
  /** Whether summaries may be made ahead here: somebody may continue, and nothing has a say in them that is asked later. */
  readonly mayPrepare: () => boolean
  readonly isAwake: () => boolean
  /** For summaries made ahead: an account of their own. */
  readonly reserveAhead: CompactPorts["reserve"]
  /** For automatic compaction during a turn, so that watchers know why nothing happens. */
  readonly report: (moment: "begins" | "ends") => void
}

/** The op without its name. */
export type CompactOptions = Omit<Op & { readonly type: "compact" }, "type">

export interface Compaction extends Kit {
  /** Makes room if necessary. A result ends the turn. */
  readonly beforeRequest: (signal: AbortSignal) => Promise<End | undefined>
  /** Compacts on the user's request; the failure is a message for them. */
  readonly compact: (wish: CompactOptions, signal: AbortSignal) => Promise<Result<void, string>>
  /** Requests a compaction before the next request, because the provider found the last one too long; returns whether there will be one. */
  readonly demand: () => boolean
  readonly levels: () => Levels
}

export function compactionKit(ports: CompactionPorts): Compaction {
  const { choice, record, contextTokens } = ports
  const history = openHistory()
  const prompts = openPrompts()
  let isDemanded = false

  const levelsIn = onceFor((window: Window) => levelsOf(window, choice.trigger))
  const levels = (): Levels => levelsIn(ports.window())
  const isAutomatic = (): boolean => choice.when === "auto" && !history.isBroken()
  const ahead = openAhead({
    ...ports,
    isWanted: () =>
      choice.inBackground !== false &&
      isAutomatic() &&
      ports.mayPrepare() &&
      contextTokens() >= aheadFrom(levels(), ports.fixedTokens()),
    prepare,
  })
  const replaceOldResults = openOldResults({ ...ports, answeredAt: history.answeredAt })

  const questionFor = (ordinary: Request): Omit<CompactQuestion, "trigger" | "instructions" | "part"> => ({
    ordinary,
    preTokens: contextTokens(),
    fixedTokens: ports.fixedTokens(),
    levels: levels(),
    prompts: prompts.all(),
    todos: ports.todos(),
  })

  async function prepare(signal: AbortSignal): Promise<void> {
    const ordinary = ports.ordinary()
    const question = {
      ...questionFor(ordinary),
      trigger: "auto",
      instructions: undefined,
      part: { kind: "all" },
    } as const
    const { retrying: _, ...quiet } = ports
    const { summarizeAhead } = await import("./compact.ts")
    const made = await summarizeAhead({ ...quiet, reserve: ports.reserveAhead }, question, signal)
    if (made.ok && !signal.aborted) record({ kind: "summary", text: made.value, covers: ordinary.messages.length })
  }

  async function run(
    trigger: "auto" | "manual",
    wish: CompactOptions,
    signal: AbortSignal,
  ): Promise<Result<void, string>> {
    const ordinary = ports.ordinary()
    if (!hasAnswers(ordinary.messages)) return failed("Nothing to compact yet: the model has not answered.")
    const part = partFor(wish, prompts, ordinary.messages)
    if (!part.ok) return part
    const { compactWith } = await import("./compact.ts")
    const { instructions } = wish
    // Asked for something else: the one under way would be paid for in vain.
    if (instructions?.trim() || part.value.kind !== "all") ahead.stop()
    const question = { ...questionFor(ordinary), trigger, instructions, part: part.value }
    const done = await compactWith({ ...ports, ahead }, question, signal)
    if (!done.ok) return done
    const { upTo, from } = wish
    const failures = done.value.failure === undefined ? [] : history.failed()
    const shown = new Set(done.value.files ?? [])
    const seen = ports.stamps.entries().filter(([real]) => shown.has(real))
    record({
      ...done.value,
      ...(seen.length > 0 && { seen: seen.map(([real, stamp]) => seenFile(real, stamp)) }),
      standing: [...done.value.standing, ...failures],
      ...optional("upTo", upTo),
      ...optional("from", from),
    })
    forgetUnshown(ports, done.value.files ?? [])
    await ports.hooks?.postCompact?.({ trigger, summary: done.value.summary }, signal)
    return ok(undefined)
  }

  async function compactByItself(signal: AbortSignal): Promise<void> {
    ports.report("begins")
    const done = await run("auto", {}, signal)
    ports.report("ends")
    if (signal.aborted) return
    if (!done.ok) record({ kind: "notice", level: "warning", about: "compaction_failed", text: done.failure })
    if (history.isBroken()) record({ kind: "notice", level: "warning", text: brokenWords })
  }

  return {
    name: "compaction",
    levels,
    onEntry: onEntryOfAll(history.onEntry, ahead.onEntry),
    conversation: {
      reset() {
        prompts.forget()
        ahead.conversation.reset()
      },
      onEntry: onEntryOfAll(prompts.onEntry, ahead.conversation.onEntry),
    },
    close: ahead.close,
    demand() {
      isDemanded = isAutomatic() && history.mayTry() && hasAnswers(ports.messages())
      return isDemanded
    },
    async beforeRequest(signal) {
      const wanted = isDemanded
      isDemanded = false
      if (isAutomatic()) {
        const window = ports.window()
        const before = contextTokens()
        const replacing = replaceOldResults(window, before, signal)
        if (replacing) await replacing
        const isFull = wanted || (replacing ? contextTokens() : before) >= levelsIn(window).auto
        if (isFull && history.mayTry() && hasAnswers(ports.messages())) await compactByItself(signal)
      }
      if (isAutomatic() || contextTokens() < levels().blocking) return undefined
      return { reason: "error", cause: "context_full", message: fullWords(choice.when) }
    },
    async compact(wish, signal) {
      if (choice.when === "never") return failed(neverWords)
      return run("manual", wish, signal)
    },
  }
}

/** Files not shown again count as unread: they must be read before they are edited. */
function forgetUnshown({ stamps }: CompactionPorts, files: readonly string[]): void {
  const shown = new Set(files)
  for (const [real] of stamps.entries()) if (!shown.has(real)) stamps.forget(real)
}

function partFor(
  { upTo, from }: CompactOptions,
  prompts: Prompts,
  messages: readonly Message[],
): Result<SummarizedPart, string> {
  const picked = upTo ?? from
  if (picked === undefined) return ok({ kind: "all" })
  const index = prompts.indexOf(picked)
  const place = index < 0 ? undefined : placesOf(prompts.all(), messages)[index]
  if (!place) return failed(summarizedWords)
  const at = cutBefore(messages, place.message)
  if (upTo === undefined) return ok(at <= 0 ? { kind: "all" } : { kind: "after", at })
  if (!hasAnswers(messages.slice(0, at))) return failed("There is nothing before that message to summarize.")
  return ok({ kind: "before", at })
}

const hasAnswers = (messages: readonly Message[]): boolean => messages.some(({ role }) => role === "assistant")

const summarizedWords =
  "That message is no longer in the conversation as it was said: it was summarized before. Pick a later one, or /uncompact first."

const brokenWords =
  "Summarizing failed three times, so automatic compaction is off. Use /compact to try again, or /clear to start over."

const neverWords = "Compaction is turned off (DISABLE_COMPACT). Unset it, or use /clear to start over."

const fullWords = (when: CompactionChoice["when"]): string =>
  `The conversation fills the context window${when === "auto" ? "" : ", and automatic compaction is off"}. Use ${when === "never" ? "" : "/compact to summarize it, or "}/clear to start a new conversation.`
