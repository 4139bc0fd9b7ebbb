/** How a session would confine a command: decided as a session decides, and read as what comes of it. */

import type { JudgedBoundary } from "#agent/words/boundary.ts"
import type { Behavior, PermissionMode } from "#agent/words/permission.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { tilde } from "#lib/tilde.ts"
import type { Walls } from "#kits/permissions/walls.ts"
import { excludedPatterns } from "#kits/permissions/leaving.ts"
import { type CaseJudge, openCaseJudge } from "./permission-cases.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { wallsHere } from "./walls-here.ts"

export interface Confinement {
  readonly confined: boolean
  /** What it would be confined to; the policy of commands when absent. */
  readonly boundary?: JudgedBoundary
  readonly because: string
  readonly behavior: Behavior
}

interface Exclusion {
  readonly text: string
  readonly file: string
}

export async function confinementHere(
  command: string,
  { cwd, home, state, loaded }: StartupContext,
): Promise<Confinement> {
  const walls = await wallsHere(state, loaded.settings.sandbox)
  const cases = await openCaseJudge({ cwd, home, state, walls, path: () => processEnvironment().PATH })
  const mode: PermissionMode = loaded.settings.permissions.defaultMode
  const added = loaded.additionalDirectories
  const permissionCase = { mode, rules: loaded.rules, tool: "Bash", input: { command }, cwd, added }
  const decision = cases.judge(permissionCase)
  const { behavior, message } = decision
  if (behavior === "deny") return { confined: false, because: message.replace(/\.$/, ""), behavior }
  const boundary = decision.behavior === "allow" ? decision.boundary : undefined
  if (boundary?.by === "judgement") {
    if (!walls.reader) return { confined: false, because: `the sandbox does not work here. ${whyOf(walls)}`, behavior }
    return { confined: true, boundary, because: judgedWords(boundary, mode), behavior }
  }
  if (boundary?.parts)
    return { confined: false, because: "a rule names a part of it; its other parts are confined to reading", behavior }
  if (walls.workspace === "off") return { confined: false, because: "the sandbox is off (sandbox.enabled)", behavior }
  if (cases.leaving(permissionCase, walls) === undefined)
    return { confined: true, because: "the sandbox is on", behavior }
  const excluded = loaded.sandbox.flatMap(({ file, value }) =>
    (value.excludedCommands ?? []).map((text) => ({ text, file: tilde(file, home) })),
  )
  return { confined: false, because: exclusionOf(cases, permissionCase, walls, excluded), behavior }
}

function judgedWords({ writes }: JudgedBoundary, mode: PermissionMode): string {
  if (writes.length > 0) return "it runs without asking, so it can only change what it names"
  return mode === "plan" ? "plan mode only reads" : "the command only reads, so it runs without asking"
}

const whyOf = ({ why = "" }: Walls): string => why.replace(/\.$/, "")

function exclusionOf(
  cases: CaseJudge,
  permissionCase: Parameters<CaseJudge["leaving"]>[0],
  walls: Walls,
  excluded: readonly Exclusion[],
): string {
  const by = excluded.find(
    ({ text }) => cases.leaving(permissionCase, { ...walls, excluded: excludedPatterns([text]) }) === "excluded",
  )
  return by
    ? `"${by.text}" in sandbox.excludedCommands in ${by.file}`
    : "every part of the command is in sandbox.excludedCommands"
}
