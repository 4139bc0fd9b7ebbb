/** What a rule would have answered: decisions of the past, judged again as if it had been there then. */

import { openCommandAnalyzer } from "#ground/workspace/command-analyzer.ts"
import { openPaths, openRealPaths } from "#ground/workspace/paths.ts"
import { caseFootprint } from "#kits/permissions/case-footprint.ts"
import { decide } from "#kits/permissions/decide.ts"
import { parseRules, type PermissionRule } from "#kits/permissions/rules/rule.ts"
import { noWalls } from "#kits/permissions/walls.ts"
import { systemClock } from "#lib/clock.ts"
import type { FleetApproval, WorkspaceSource } from "./records.ts"
import type { PastDecision } from "./store/approvals.ts"

export interface RuleCoverage {
  /** How many decisions could be compared. */
  readonly compared: number
  /** Those that the rules would have answered, newest first. */
  readonly covered: readonly FleetApproval[]
}

/** What is longer takes long to read, and no rule is about it. */
const longestCommand = 20_000
/** After so many the server answers others first. */
const atOnce = 10

/** Rules are judged as for a session that asks before edits and commands, in which nothing else is allowed. */
export async function coverageOf(texts: readonly string[], past: readonly PastDecision[]): Promise<RuleCoverage> {
  const { rules } = parseRules(texts.map((text) => ({ behavior: "allow", text, source: "session" })))
  const analyzer = await openCommandAnalyzer().load()
  const realPath = openRealPaths()
  // The same command is decided about again and again.
  const known = new Map<string, boolean | undefined>()
  const covered: FleetApproval[] = []
  let compared = 0
  for (const [nth, { approval, workspace }] of past.entries()) {
    if (nth % atOnce === atOnce - 1) await systemClock.sleep(0, new AbortController().signal)
    const key = JSON.stringify([approval.action, workspace])
    if (!known.has(key)) known.set(key, isCovered(approval, workspace))
    const answer = known.get(key)
    if (answer !== undefined) compared++
    if (answer === true) covered.push(approval)
  }
  return { compared, covered }

  /** Nothing if that cannot be said. */
  function isCovered({ action: { tool, input } }: FleetApproval, workspace: WorkspaceSource): boolean | undefined {
    if (JSON.stringify(input).length > longestCommand) return undefined
    const cwd = folderOf(workspace)
    const footprint = caseFootprint(tool, input, { paths: openPaths({ cwd: () => cwd, home: elsewhere }), cwd })
    if (!footprint.ok) return undefined
    const { reads, writes } = footprint.value
    if ("git" in workspace && reads.length + writes.length > 0 && isAboutFiles(rules)) return undefined
    const decision = decide({
      tool: { name: tool },
      input,
      footprint: footprint.value,
      workspace: { root: cwd, added: [], home: elsewhere, protectedPaths: [], own: [] },
      cwd,
      realPath,
      walls: noWalls,
      analyzer,
      mode: "default",
      rules,
    })
    return decision.behavior === "allow" && decision.reason.kind === "rule"
  }
}

/** No folder of this machine. */
const elsewhere = "/nonexistent"

/** A clone has another folder on every worker, so its files are not compared. */
const folderOf = (workspace: WorkspaceSource): string => ("path" in workspace ? workspace.path : `${elsewhere}/clone`)

const isAboutFiles = (rules: readonly PermissionRule[]): boolean => rules.some(({ matter }) => matter.kind === "path")
