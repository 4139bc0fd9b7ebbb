/** One turn, from its first entry to its last. */

import { run } from "#agent/loop.ts"
import type { End } from "#agent/words/end.ts"
import { cutTurnWords } from "#agent/words/interruption.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import type { GoalKit } from "#kits/goal/kit.ts"
import type { Ids } from "#lib/ids.ts"
import type { LiveAgent } from "./agent.ts"
import type { SessionHooks } from "#session/adapters/hooks.ts"
import type { Journal } from "#session/journal/journal.ts"
import { mistakeWords, unsavedTurnWords } from "./mistake-words.ts"
import type { Turns } from "./turns.ts"

export interface OneTurnParts {
  readonly turns: Turns
  readonly journal: Pick<Journal, "record" | "recover" | "sync" | "failure" | "feed">
  readonly agent: LiveAgent
  readonly ids: Ids
  readonly hooks?: Pick<SessionHooks, "turnBegins" | "turnFailed"> | undefined
  readonly goal?: Pick<GoalKit, "turnEnds"> | undefined
}

export interface OneTurn {
  readonly begin: () => { readonly turnId: string; readonly signal: AbortSignal }
  readonly through: (turnId: string, signal: AbortSignal, calls?: readonly ToolUseBlock[]) => Promise<End>
  readonly end: (turnId: string, end: End) => Promise<End>
}

export function openOneTurn({ turns, journal, agent, ids, hooks, goal }: OneTurnParts): OneTurn {
  const { record } = journal

  async function end(turnId: string, how: End): Promise<End> {
    record({ kind: "turn_end", turnId, ...how })
    turns.end()
    await journal.sync()
    return how
  }

  return {
    end,
    begin() {
      const turnId = ids.uuid()
      const signal = turns.begin("turn")
      journal.recover()
      hooks?.turnBegins()
      record({ kind: "turn_start", turnId })
      return { turnId, signal }
    },
    async through(turnId, signal, calls = []) {
      // What cannot be recorded does not happen, in this turn or a later one.
      if (journal.failure()) turns.interrupt()
      const how = await run(agent, signal, calls).catch(mistake)
      const failure = journal.failure()
      const cutOff = cutTurnWords(signal)
      if (cutOff !== undefined && !failure) record({ kind: "attachment", name: "cut_off", text: cutOff })
      const honest: End = failure ? { reason: "error", cause: "log", message: unsavedTurnWords(failure) } : how
      if (honest.reason === "error" && !failure) await hooks?.turnFailed(honest, signal)
      return end(turnId, goal?.turnEnds(honest) ?? honest)
    },
  }
}

export const mistake = (error: unknown): End => ({ reason: "error", cause: "mistake", message: mistakeWords(error) })
