/** How a turn begins, depending on what it begins with. */

import type { End } from "#agent/words/end.ts"
import type { Attachment } from "#agent/words/kit.ts"
import { optional } from "#lib/optional.ts"
import type { PromptAdmission } from "./admission.ts"
import type { ChoreRunner } from "./chore-runner.ts"
import type { WaitingPrompt } from "#session/journal/inbox.ts"
import { mistake, type OneTurnParts, openOneTurn } from "./one-turn.ts"
import { mistakeWords } from "./mistake-words.ts"
import type { TypedCommand } from "#kits/commands/recognise.ts"
import { carryOutOwn, type OwnOutcome } from "#session/adapters/own-command.ts"
import type { Unfinished } from "#session/journal/repair.ts"
import type { Slash } from "#session/port/command.ts"
import type { PromptInput, CommandDelivery } from "./command-delivery.ts"

export interface TurnRunnerParts extends OneTurnParts {
  readonly commands: CommandDelivery
  /** Called before a prompt is answered, so that the user can return to the current files. */
  readonly beforePrompt: (promptId: string) => void
  readonly slash: Slash
  readonly admission?: PromptAdmission | undefined
}

export interface TurnRunner {
  readonly run: (next: TurnStart) => Promise<End>
  readonly isGuarded: () => boolean
}

export type TurnStart = WaitingPrompt | Unfinished | { readonly news: readonly Attachment[] }

export function openTurnRunner(
  parts: TurnRunnerParts,
  perform: ChoreRunner["runOp"],
  queue: { readonly publish: () => void; readonly isShown: () => boolean },
): TurnRunner {
  const { turns, journal, commands, ids } = parts
  const { record } = journal
  const turn = openOneTurn(parts)

  function run(next: TurnStart): Promise<End> {
    if ("calls" in next) return turn.through(next.turnId, turns.begin("turn"), next.calls)
    return "news" in next ? runNews(next.news) : runTurn(next)
  }

  const isGuarded = (): boolean => !journal.failure() && parts.admission?.isGuarded() === true

  async function runTurn(said: WaitingPrompt): Promise<End> {
    const own = commands.own(said)
    const left = own ? await runOwnCommand(said, own) : said
    return "reason" in left ? left : runPrompt(left)
  }

  /** Runs a built-in command; the rest goes to the model, or the turn ends. */
  async function runOwnCommand(said: WaitingPrompt, own: TypedCommand): Promise<WaitingPrompt | End> {
    const signal = turns.begin("turn")
    journal.recover()
    const done = await carryOutOwn({ slash: parts.slash, perform }, own, signal).catch(
      (error: unknown): OwnOutcome => ({ kind: "over", text: mistakeWords(error), isError: true }),
    )
    if (done.kind === "prompt" && !signal.aborted) return { ...said, content: done.content }
    const over = done.kind === "prompt" ? { kind: "over" as const, text: unsentWords, isError: false } : done
    // Only now: the command may have moved the conversation to another place, and the turn belongs there.
    const turnId = ids.uuid()
    record({ kind: "turn_start", turnId })
    return turn.end(turnId, commands.over(said, { ...over, typed: own.typed }, signal))
  }

  async function runPrompt(waiting: WaitingPrompt): Promise<End> {
    const { promptId, origin } = waiting
    const { turnId, signal } = turn.begin()
    let sent: PromptInput | End
    try {
      const admitting = admitted(waiting, signal)
      // Awaited only if necessary: otherwise the prompt is in the log as soon as it was accepted.
      sent = admitting instanceof Promise ? await admitting : admitting
    } catch (error) {
      sent = mistake(error)
    }
    if ("reason" in sent) return turn.end(turnId, sent)
    record({ kind: "prompt", promptId, ...sent, ...optional("origin", origin) })
    // Faces that show the queue still show this prompt.
    if (queue.isShown()) queue.publish()
    return turn.through(turnId, signal)
  }

  /** What is sent for a prompt, or how its turn ends without it. */
  function admitted(waiting: WaitingPrompt, signal: AbortSignal): PromptInput | Promise<PromptInput | End> {
    const asked = isGuarded() ? parts.admission?.first(waiting, signal) : undefined
    return asked ? asked.then((unsent) => unsent ?? delivered(waiting, signal)) : delivered(waiting, signal)
  }

  function delivered(waiting: WaitingPrompt, signal: AbortSignal): PromptInput | Promise<PromptInput | End> {
    parts.beforePrompt(waiting.promptId)
    return commands.deliver(waiting, signal) ?? { content: waiting.content }
  }

  function runNews(news: readonly Attachment[]): Promise<End> {
    const { turnId, signal } = turn.begin()
    for (const attachment of news) record({ kind: "attachment", ...attachment })
    return turn.through(turnId, signal)
  }

  return { run, isGuarded }
}

const unsentWords = "Interrupted before it was sent."
