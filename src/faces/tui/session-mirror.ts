/** What the screen knows of the session without asking: events tell it, and what was done here counts at once. */

import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import type { Question } from "#agent/words/question.ts"
import type { TeamOverview } from "#agent/words/team.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { SandboxState } from "#session/port/query.ts"
import type { SessionPort } from "#session/port/session.ts"
import type { CommandRow } from "#agent/words/command.ts"
import { type BesideAgent, besideAgents, type FileChange, fileChanges } from "./beside.ts"

export interface SessionMirror {
  readonly state: () => SessionState
  readonly commands: () => readonly CommandRow[]
  readonly background: () => number
  /** Null where there is none. */
  readonly team: () => TeamOverview | null
  readonly sandbox: () => SandboxState
  /** Those that work beside the conversation, without members of a team. */
  readonly agents: () => readonly BesideAgent[]
  /** As of the last turn. */
  readonly changes: () => readonly FileChange[]
  /** Neither answered here nor closed elsewhere; the event that says so may not have arrived. */
  readonly isOpen: (question: Question) => boolean
  readonly onEvent: (event: Event) => void
  readonly did: (op: Op) => void
  /** It was refused, so the current state has to be asked for. */
  readonly undo: (op: Op) => void
  readonly refresh: (what: PolledFact) => void
}

/** Facts that no event reports. */
type PolledFact = "commands" | "background" | "sandbox" | "team" | "agents" | "changes"

export interface MirrorHost {
  /** Called if an answer differs from what was known. */
  readonly changed: (what: "state" | PolledFact) => void
  readonly now: () => number
  /** Whether changed files are shown: finding them takes git. */
  readonly showsChanges: () => boolean
}

export function openHere(
  session: SessionPort,
  first: SessionState,
  { changed, now, showsChanges }: MirrorHost,
): SessionMirror {
  let state = first
  let commands: readonly CommandRow[] = []
  let background = 0
  let team: TeamOverview | null = null
  let sandbox: SandboxState = "off"
  let agents: readonly BesideAgent[] = []
  let changes: readonly FileChange[] = []
  const closed = new Set<string>()
  const asking = new Set<string>()

  async function answered(what: PolledFact): Promise<void> {
    switch (what) {
      case "commands":
        commands = await session.ask({ type: "commands" })
        return
      case "background":
        background = (await session.ask({ type: "background" })).length
        return
      case "team":
        team = await session.ask({ type: "team" })
        return
      case "agents":
        agents = besideAgents(await session.ask({ type: "agents" }), agents, now())
        return
      case "changes":
        changes = fileChanges(await session.ask({ type: "changes" }))
        return
      case "sandbox":
        sandbox = await session.ask({ type: "sandbox_state" })
    }
  }

  async function ask(what: PolledFact): Promise<void> {
    if (asking.has(what)) return
    asking.add(what)
    const known = (): string => JSON.stringify({ commands, background, sandbox, team, agents, changes }[what])
    const before = known()
    await answered(what)
    asking.delete(what)
    if (before !== known()) changed(what)
  }
  // A session that is gone answers nothing; its events end, which says so.
  const refresh = (what: PolledFact): void => void ask(what).catch(() => {})

  return {
    state: () => state,
    commands: () => commands,
    background: () => background,
    team: () => team,
    sandbox: () => sandbox,
    agents: () => agents,
    changes: () => changes,
    isOpen: ({ id }) => !closed.has(id),
    refresh,
    onEvent(event) {
      if (event.type === "state_change") state = event.state
      if (event.type === "question_close") closed.add(event.questionId)
      if (event.type === "question_open") closed.delete(event.question.id)
      if (event.type === "servers_change") refresh("commands")
      if (event.type === "team_change") refresh("team")
      if (event.type === "background_end") refresh("background")
      // Each word that an agent says is an event too.
      if (event.type === "child" && agents.length > 0 && event.event.type !== "model_delta") refresh("agents")
      if (event.type !== "entry") return
      const { kind } = event.entry
      if (kind === "turn_end") refresh("commands")
      if (kind === "child") refresh("agents")
      if ((kind === "turn_end" || kind === "head") && showsChanges()) refresh("changes")
      if (kind === "turn_end" && sandbox !== "off") refresh("sandbox")
      if (kind === "result" || kind === "turn_end" || kind === "prompt" || kind === "child") refresh("background")
    },
    did(op) {
      if (op.type === "set_mode") state = { ...state, mode: op.mode }
      if (op.type === "answer") closed.add(op.questionId)
    },
    undo(op) {
      if (op.type === "answer") closed.delete(op.questionId)
      void session.ask({ type: "state" }).then(
        (known) => {
          state = known
          changed("state")
        },
        () => {},
      )
    },
  }
}
