/** What plan mode allows: reading, and the plan itself. No rule, hook, grant or client can allow the rest. See decision 21. */

import { posix } from "node:path"
import { isReadOnly } from "#agent/words/footprint.ts"
import type { JudgedCall } from "./call.ts"
import { describeAction } from "./say.ts"

/** Why plan mode denies a call, in words for the model; undefined if it allows it. */
export function planRefusal(call: JudgedCall): string | undefined {
  if (certainlyReads(call) || writesThePlan(call)) return undefined
  const { planFile, agent } = call.workspace
  const would = `${call.tool.name} would ${describeAction(call)}.${whyNot(call)}`
  if (agent === "reader") return `You only read, and ${would} Say in your answer what should be changed instead.`
  if (agent === "worker")
    return `The session is in plan mode, so nothing can be changed: ${would} Read and search, and say in your answer what should be changed.`
  const plan =
    planFile === undefined ? "writing the plan" : `writing the plan (${planFile}) with Write, Edit or MultiEdit`
  return `Plan mode is on, so nothing can be changed: ${would} Reading, searching, asking the user and ${plan} are possible; ExitPlanMode asks the user to start the work.`
}

export function certainlyReads({ tool, footprint, commands }: JudgedCall): boolean {
  // Only the server knows what its tool does, and its own claim is not enough here.
  if (isOfServer(tool.name) && footprint.effect !== "reads") return false
  if (commands.length > 0)
    return (
      footprint.effect !== "unknown" &&
      footprint.writes.length === 0 &&
      commands.every(
        ({ analysis }) =>
          analysis.understood &&
          analysis.segments.every(({ verdict, unbounded }) => verdict === "read_only" && !unbounded),
      )
    )
  return isReadOnly(footprint)
}

const isOfServer = (tool: string): boolean => tool.startsWith("mcp__")

/** The plan file and nothing else, by name and in fact: a link in its place would lead elsewhere. */
function writesThePlan({ tool, footprint, workspace, forms, commands }: JudgedCall): boolean {
  const { planFile } = workspace
  if (planFile === undefined || !planTools.includes(tool.name) || footprint.effect !== "acts") return false
  if (commands.length > 0 || footprint.reaches.length > 0 || footprint.writes.length === 0) return false
  const name = posix.basename(planFile)
  const places = forms(posix.dirname(planFile)).map((folder) => posix.join(folder, name))
  return footprint.writes.every((path) => forms(path).every((form) => places.includes(form)))
}

/** Whatever other tools declare, only these are known to write nothing else. */
const planTools: readonly string[] = ["Write", "Edit", "MultiEdit"]

function whyNot({ tool, commands }: JudgedCall): string {
  if (isOfServer(tool.name))
    return " Of MCP servers only those run that the user has marked as read-only (codewright mcp read-only), and none of their tools that says it changes something."
  const dark = commands.find(({ analysis }) => !analysis.understood)?.analysis
  if (dark && !dark.understood) return ` It is not certain to only read: ${dark.why}.`
  const segments = commands.flatMap(({ analysis }) => analysis.segments)
  const why = segments.find(({ verdict }) => verdict !== "read_only")?.why
  if (why !== undefined) return ` It is not certain to only read: ${why}.`
  const isOpen = segments.some(({ unbounded }) => unbounded)
  return isOpen ? " It is not certain to only read: which files it touches is not known in advance." : ""
}
