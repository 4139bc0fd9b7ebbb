/** The goal kit: when the model stops, the goal is checked, and the session goes on until it holds or a limit is reached. */

import type { End } from "#agent/words/end.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import { byKind } from "#agent/words/follower.ts"
import type { Goal, GoalCheck, GoalLimits } from "#agent/words/goal.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { JudgePorts } from "./judge.ts"
import { attachmentName, foldGoal, type GoalProgress, noGoal } from "./progress.ts"
import {
  clearedWords,
  continueWords,
  introWords,
  missedWords,
  refusedWords,
  resumedWords,
  unjudgedWords,
} from "./words.ts"

/** How a command ended that a goal names. */
export type CheckRun =
  /** `code` is null if it did not end by itself. */
  | { readonly kind: "ran"; readonly code: number | null; readonly output: string }
  /** `why`: a sentence for the user, perhaps empty. */
  | { readonly kind: "refused"; readonly why: string }

export interface GoalPorts extends Pick<JudgePorts, "ask" | "messages"> {
  readonly clock: Clock
  readonly record: (body: EntryBody) => void
  readonly limits: GoalLimits
  readonly costUsd: () => number
  /** Runs a command as if the model had called it: judged, confined and undone like any other. */
  readonly run: (command: string, folder: string, signal: AbortSignal) => Promise<CheckRun>
  readonly cwd: () => string
  /** Whether agents work in the background, which wake the session when they end. */
  readonly isWaiting: () => boolean
}

export interface GoalKit extends Kit {
  readonly goal: () => Goal | undefined
  readonly set: (check: GoalCheck | null) => Result<void, string>
  /** Asked when nothing else makes the model continue. */
  readonly atRest: (signal: AbortSignal) => Promise<"go_on" | "end" | End>
  /** Asked before every request: how the turn ends if a limit is reached. */
  readonly stopped: () => End | undefined
  /** Told how a turn is about to end; a limit of the session is the end of the goal, too. */
  readonly turnEnds: (end: End) => End
}

/** What the model is told of a check's output. */
const mostOutput = 6_000

export function goalKit(ports: GoalPorts): GoalKit {
  const { record, clock } = ports
  let progress: GoalProgress = noGoal
  const fold = (entry: EntryBody): void => void (progress = foldGoal(progress, entry))

  const open = (): Goal | undefined => (progress.goal?.state === "open" ? progress.goal : undefined)

  function miss(goal: Goal, limit: string): End {
    const message = missedWords(goal, limit)
    record({ kind: "goal", ...goal, state: "missed", why: goal.why ?? message })
    return { reason: "error", cause: "goal", message: withReason(message, goal.why) }
  }

  function limitReached({ steps, since, limits, paidBefore }: Goal): string | undefined {
    if (steps >= limits.steps) return `within ${limits.steps} steps`
    if (clock.now() - since >= limits.ms) return `within ${Math.round(limits.ms / 60_000)} minutes`
    if (limits.usd !== undefined && ports.costUsd() - paidBefore >= limits.usd) return `for $${limits.usd}`
    return undefined
  }

  /** Undefined where it cannot be checked; the end says why. */
  async function checked({ check, folder }: Goal, signal: AbortSignal): Promise<GoalVerdict | End> {
    if (check.kind === "command") {
      const ran = await ports.run(check.command, folder, signal)
      if (ran.kind === "refused") return unable(refusedWords(check.command, ran.why))
      const how = ran.code === null ? "did not end in time" : `exit code ${ran.code}`
      return { holds: ran.code === 0, why: how, evidence: `${how}\n${ending(ran.output)}`.trimEnd() }
    }
    const { judge } = await import("./judge.ts")
    const judged = await judge(check.text, ports, signal)
    if (!judged.ok) return unable(unjudgedWords(judged.failure))
    return { ...judged.value, evidence: judged.value.why }
  }

  return {
    name: "goal",
    goal: () => progress.goal,
    set(check) {
      const goal = progress.goal
      if (check === null) {
        if (goal === undefined || goal.state === "cleared") return failed("There is no goal to end.")
        record({ kind: "goal", ...goal, state: "cleared" })
        return ok(undefined)
      }
      const now = { folder: ports.cwd(), since: clock.now(), paidBefore: ports.costUsd() }
      record({ kind: "goal", check, limits: ports.limits, state: "open", checks: 0, steps: 0, ...now })
      return ok(undefined)
    },
    async atRest(signal) {
      const goal = open()
      if (!goal || ports.isWaiting()) return "end"
      const found = await checked(goal, signal)
      // The loop itself reports the interrupt, and the user may have ended the goal meanwhile.
      if (signal.aborted) return "go_on"
      const still = open()
      if (still?.since !== goal.since) return "end"
      if ("reason" in found) return found
      const next: Goal = { ...still, checks: still.checks + 1, why: found.why }
      if (found.holds) {
        record({ kind: "goal", ...next, state: "held" })
        return "end"
      }
      const limit = next.checks >= next.limits.checks ? `in ${next.checks} checks` : limitReached(next)
      if (limit !== undefined) return miss(next, limit)
      record({ kind: "goal", ...next })
      record({ kind: "attachment", name: attachmentName, text: continueWords(next, found.evidence) })
      return "go_on"
    },
    stopped() {
      const goal = open()
      const limit = goal && limitReached(goal)
      return goal && limit !== undefined ? miss(goal, limit) : undefined
    },
    turnEnds(end) {
      const goal = open()
      if (!goal || (end.reason !== "max_budget" && end.reason !== "max_turns")) return end
      const limit = end.reason === "max_budget" ? "within the budget" : "within the steps of a turn"
      const { message = "" } = miss(goal, limit)
      return { ...end, message: [end.message, message].filter(Boolean).join(" ") }
    },
    attachments(): readonly Attachment[] {
      const { goal, told } = progress
      if (!goal) return []
      if (goal.state === "cleared" && told === goal.since) return [{ name: attachmentName, text: clearedWords }]
      if (goal.state !== "open" || told === goal.since) return []
      // After a compaction the log is read from there on, so the steps before it are stated again.
      if (goal.steps > 0) record({ kind: "goal", ...goal })
      return [{ name: attachmentName, text: introWords(goal.check) }]
    },
    rest() {
      const goal = open()
      return goal && progress.isCutOff ? [{ name: attachmentName, text: resumedWords(goal.check) }] : []
    },
    stirs(how) {
      if (open() && progress.isCutOff) how()
      return () => {}
    },
    conversation: {
      reset: () => void (progress = noGoal),
      onEntry: byKind({
        goal: fold,
        attachment: fold,
        reply_end: fold,
        turn_start: fold,
        turn_end: fold,
        compaction: fold,
      }),
    },
  }
}

interface GoalVerdict {
  readonly holds: boolean
  /** For the user. */
  readonly why: string
  /** For the model. */
  readonly evidence: string
}

const unable = (message: string): End => ({ reason: "error", cause: "goal", message })

const withReason = (message: string, why: string | undefined): string =>
  why === undefined ? message : `${message} (last check: ${why})`

const ending = (output: string): string =>
  output.length <= mostOutput ? output : `[…]\n${output.slice(-mostOutput).toWellFormed()}`
