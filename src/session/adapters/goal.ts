/** The goal of a session: its command runs like a call of the model, and a small model judges its sentence. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { GoalLimits } from "#agent/words/goal.ts"
import { type Message, textOf } from "#agent/words/message.ts"
import { type CheckRun, type GoalKit, goalKit } from "#kits/goal/kit.ts"
import type { Clock } from "#lib/clock.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { States } from "#session/opening/states.ts"
import type { Aside } from "./aside.ts"
import type { Ground } from "./ground.ts"
import { toolRunner, type ToolRunnerParts } from "./tool-runner.ts"

export interface GoalParts extends ToolRunnerParts {
  readonly clock: Clock
  readonly record: (body: EntryBody) => void
  readonly goal?: SessionOptions["goal"]
  readonly shell: SessionOptions["shell"]
  readonly states: Pick<States, "logged">
  readonly ground: Pick<Ground, "isAllowedFolder" | "isFolder">
  readonly messages: () => readonly Message[]
  readonly askSmall: Aside["askSmall"]
  readonly isWaiting: () => boolean
}

const usual: GoalLimits = { checks: 20, steps: 300, ms: 4 * 3_600_000 }

export function openGoal(parts: GoalParts): GoalKit {
  const { record, states, ground, clock, messages, isWaiting } = parts
  const runTool = toolRunner(parts)
  const cwd = (): string => states.logged().cwd
  return goalKit({
    clock,
    record,
    messages,
    isWaiting,
    cwd,
    ask: parts.askSmall,
    limits: { ...usual, ...parts.goal?.limits },
    costUsd: () => states.logged().costUsd,
    async run(command, folder, signal) {
      const before = cwd()
      // The model may have moved on to another folder; what the user typed was meant for this one.
      const moves = folder !== before && ground.isAllowedFolder(folder) && ground.isFolder(folder)
      if (moves) record({ kind: "cwd", path: folder })
      const outcome = await runTool("Bash", { command, timeout: parts.shell.maxTimeoutMs }, "goal", signal)
      if (moves) record({ kind: "cwd", path: before })
      return runOf(outcome)
    },
  })
}

function runOf(outcome: Awaited<ReturnType<ReturnType<typeof toolRunner>>>): CheckRun {
  if (!outcome) return { kind: "refused", why: "There is no shell here." }
  const said = textOf(outcome.content)
  if (outcome.rejected) return { kind: "refused", why: "You declined it. /goal clear ends the goal." }
  if (outcome.denied)
    return {
      kind: "refused",
      why: "Allow it with a rule, such as /permissions add allow Bash(npm test), or --allowed-tools.",
    }
  const { display } = outcome
  if (display?.kind !== "terminal") return { kind: "refused", why: said }
  return { kind: "ran", code: display.exitCode ?? null, output: said }
}
