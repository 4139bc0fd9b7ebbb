/** The state of a session from three points of view that must not be confused. */

import type { Follower } from "#agent/words/follower.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import type { SessionState } from "#agent/words/state.ts"
import { type Effort, raised, type Thinking } from "#agent/words/thinking.ts"
import type { Brought, TurnScope } from "#kits/commands/turn.ts"
import { askedEffort } from "./asked-effort.ts"
import type { Lineage } from "./lineage.ts"
import { beginningState, foldState } from "#session/journal/state.ts"

export interface States extends Follower {
  readonly logged: () => SessionState
  /** With the mode in force: an agent's mode is never its own. */
  readonly current: () => SessionState
  /** The mode of its agents: they do the work that delegate mode keeps it from doing, as before that mode. */
  readonly forAgents: () => PermissionMode
  /** With that mode and the model that answers in it, which may differ from the chosen one. */
  readonly answering: () => SessionState
}

export function openStates({
  beginning,
  lineage,
  scope,
  forMode,
  factsOf,
  bypassAvailable,
  isHeld,
}: {
  readonly beginning: Parameters<typeof beginningState>[0]
  readonly lineage: Pick<Lineage, "mode">
  readonly scope: Pick<TurnScope, "now">
  readonly factsOf: (model: string) => ModelFacts
  readonly bypassAvailable: boolean
  /** Whether it stays in plan mode, whatever the log says. */
  readonly isHeld: () => boolean
  readonly forMode?: (state: Pick<SessionState, "mode" | "model" | "contextTokens">) => string
}): States {
  let state = beginningState(beginning)
  const current = (): SessionState => {
    const mode = lineage.mode?.() ?? (isHeld() ? "plan" : state.mode)
    return mode === state.mode ? state : { ...state, mode }
  }
  let working: PermissionMode = beginning.mode === "delegate" ? "default" : beginning.mode
  function takeMode(body: EntryBody): void {
    if (body.kind === "mode" && body.mode !== "delegate") working = body.mode
    if (body.kind === "compaction") body.standing.forEach(takeMode)
  }
  /** Efforts that the turn's prompts ask for in words. */
  let asked: readonly Effort[] = []

  const thinkingFor = ({ thinking, model }: SessionState, effort: Effort | undefined): Thinking => {
    const chosen = effort === undefined || effort === thinking.effort ? thinking : { ...thinking, effort }
    return asked.reduce((now, least) => raised(now, least, factsOf(model).thinks), chosen)
  }

  const answeringIn = (now: SessionState, brought: Brought): SessionState => {
    const model = brought.model ?? forMode?.(now)
    const answers = model === undefined || model === now.model ? now : { ...now, model }
    const thinking = thinkingFor(answers, brought.effort)
    return thinking === answers.thinking ? answers : { ...answers, thinking }
  }
  /** Asked for after every entry, most of which change nothing about it. */
  let last:
    | {
        readonly now: SessionState
        readonly brought: Brought
        readonly asked: readonly Effort[]
        readonly state: SessionState
      }
    | undefined

  return {
    onEntry(entry) {
      state = foldState(state, entry)
      takeMode(entry)
      if (entry.kind === "turn_start" || entry.kind === "turn_end") asked = []
      const effort = entry.kind === "prompt" ? askedEffort(entry) : undefined
      if (effort !== undefined) asked = [...asked, effort]
    },
    logged: () => state,
    current,
    forAgents() {
      const { mode } = current()
      if (mode !== "delegate") return mode
      // A log must not grant a freedom that nobody grants now.
      return working === "bypassPermissions" && !bypassAvailable ? "default" : working
    },
    answering() {
      const now = current()
      const brought = scope.now()
      if (last?.now !== now || last.brought !== brought || last.asked !== asked)
        last = { now, brought, asked, state: answeringIn(now, brought) }
      return last.state
    },
  }
}
