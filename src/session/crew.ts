/** What the subagents kit needs of a session, and what the session of an agent has that others do not. */

import { deepest } from "#kits/subagents/crowd.ts"
import { builtinAgents } from "#kits/subagents/builtins.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { type AnyTool, refused } from "#agent/words/tool.ts"
import type { Workspace as JudgedWorkspace } from "#kits/permissions/paths.ts"
import type { PlanKit } from "#kits/plan/kit.ts"
import type { CrewPorts } from "#kits/subagents/crew.ts"
import { type SubagentsKit, subagentsKit } from "#kits/subagents/kit.ts"
import { isOffered, isPlayed, startsAgents } from "#kits/subagents/offered.ts"
import { stepReminderKit } from "#kits/subagents/reminder.ts"
import { bashOutputTool } from "#kits/tools/bash-output.ts"
import { bashStopTool } from "#kits/tools/bash-stop.ts"
import type { ChildChoice } from "./child.ts"
import type { Ground } from "./ground.ts"
import type { SessionOptions } from "./options.ts"

export interface SubagentParts {
  readonly options: SessionOptions
  readonly ground: Ground
  readonly record: (body: EntryBody) => void
  readonly crew: Omit<CrewPorts, "record" | "clock" | "ids">
}

/** Nothing where no agent may be started: in an agent that was not made for it, or that stands too deep. */
export function openSubagents({ options, ground, record, crew }: SubagentParts): SubagentsKit | undefined {
  const { child, clock, ids } = options
  const { background } = ground.workspace
  // With the conversation of its parent it has the tools of its parent, too; that it may not use them is said at a call.
  if (child && !child.definition.forkContext && !(startsAgents(child.definition) && child.depth < deepest))
    return undefined
  const output = bashOutputTool({ background, clock, limits: options.shell })
  const stop = bashStopTool({ background, clock })
  const context = (signal: AbortSignal) => ({ callId: "task", signal, progress: () => {} })
  return subagentsKit({
    ...crew,
    record,
    clock,
    ids,
    agents: options.agents ?? builtinAgents(),
    commands: {
      has: (id) => background.look(id) !== undefined,
      output: ({ task_id, block, timeout }, signal) =>
        output.run({ bash_id: task_id, block, timeout }, context(signal)),
      stop: (id, signal) => stop.run({ shell_id: id }, context(signal)),
    },
  })
}

/** What only an agent has: the outermost layer keeps it to its own tools, and its reminder comes with every step. */
export function childKits({ definition, depth }: ChildChoice): readonly Kit[] {
  const { criticalReminder } = definition
  return [
    {
      name: "agent tools",
      middleware: (call, next) =>
        mayUse(definition, depth, call.tool)
          ? next(call)
          : Promise.resolve(refused(`${call.tool.name} is not for this agent. Go on without it.`)),
    },
    ...(criticalReminder === undefined ? [] : [stepReminderKit(criticalReminder)]),
  ]
}

/** Whether a tool is offered to an agent at all. */
function mayUse(definition: ChildChoice["definition"], depth: number, tool: Parameters<typeof isOffered>[1]): boolean {
  if (depth >= deepest && tool.name === "Task") return false
  return isOffered(definition, tool)
}

/** An agent, and a session that plays one, lists only the tools it is to have. */
export function isListed({ child, playing }: SessionOptions, tool: AnyTool): boolean {
  // With the beginning of its parent it lists what its parent lists.
  if (child) return child.definition.forkContext === true || mayUse(child.definition, child.depth, tool)
  return playing === undefined || isPlayed(playing, tool)
}

/** Whether it is an agent that reads and can do nothing else, whatever the mode. */
export const onlyReads = ({ child, playing }: SessionOptions): boolean =>
  (child?.definition ?? playing)?.onlyReads === true

/** The mode in which the calls of an agent are decided: never wider than that of its session. */
export function agentMode(options: SessionOptions, mode: PermissionMode): PermissionMode {
  if (onlyReads(options) || mode === "plan") return "plan"
  return (options.child?.definition ?? options.playing)?.neverAsks ? "dontAsk" : mode
}

/** How permissions see the workspace of an agent: in plan mode it has a plan file of its own. */
export function agentWorkspace(judged: JudgedWorkspace, options: SessionOptions, plan: PlanKit): JudgedWorkspace {
  const { child } = options
  const isReader = onlyReads(options)
  const planFile = !isReader && child?.parent.mode() === "plan" ? plan.named().path : undefined
  return {
    ...judged,
    agent: isReader ? "reader" : "worker",
    ...(planFile !== undefined && { planFile, own: [...judged.own, planFile] }),
  }
}
