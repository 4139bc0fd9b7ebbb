/** What the subagents kit needs from a session: how agents are started, and the background commands. */

import { builtinAgents } from "#kits/subagents/builtins.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { CrewPorts } from "#kits/subagents/works.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { Members } from "#kits/subagents/members.ts"
import { type SubagentsKit, subagentsKit } from "#kits/subagents/kit.ts"
import { bashOutputTool } from "#kits/tools/bash-output.ts"
import { bashStopTool } from "#kits/tools/bash-stop.ts"
import { optional } from "#lib/optional.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Ground } from "./ground.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { Manner } from "#session/opening/manner.ts"
import type { SessionOptions, ShellChoice } from "#session/opening/options.ts"

export interface SubagentParts {
  readonly lineage: Lineage
  readonly agents: readonly AgentDefinition[] | undefined
  readonly agentsNow?: SessionOptions["agentsNow"]
  readonly shell: ShellChoice
  readonly manner: Pick<Manner, "agents">
  readonly clock: Clock
  readonly ids: Ids
  readonly ground: Ground
  readonly record: (body: EntryBody) => void
  readonly crew: Omit<CrewPorts, "record" | "clock" | "ids">
  readonly members: Members | undefined
}

/** Undefined where no agent may be started: in an agent that may not start any, or one nested too deep. */
export function openSubagents(parts: SubagentParts): SubagentsKit | undefined {
  const { lineage, shell, clock, ids, record } = parts
  const { background } = parts.ground.workspace
  if (!lineage.mayStartAgents) return undefined
  const output = bashOutputTool({ background, clock, limits: shell })
  const stop = bashStopTool({ background, clock })
  const context = (signal: AbortSignal) => ({ callId: "task", signal, progress: () => {} })
  return subagentsKit({
    ...parts.crew,
    record,
    clock,
    ids,
    agents: parts.agents ?? builtinAgents(),
    ...optional("agentsNow", parts.agentsNow),
    members: parts.members,
    // An agent that answered with others still at work would answer too soon.
    background: shell.background ?? (lineage.depth === 0 && parts.manner.agents === "beside" ? "usual" : undefined),
    commands: {
      has: (id) => background.find(id) !== undefined,
      output: ({ task_id, block, timeout }, signal) =>
        output.run({ bash_id: task_id, block, timeout }, context(signal)),
      stop: (id, signal) => stop.run({ shell_id: id }, context(signal)),
    },
  })
}
