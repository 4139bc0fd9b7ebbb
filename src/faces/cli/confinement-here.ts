/** How a session would confine a command: decided as a session decides, and read as what comes of it. */

import type { Behavior, PermissionMode } from "#agent/words/permission.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { tilde } from "#lib/tilde.ts"
import type { Walls } from "#kits/permissions/walls.ts"
import { excludedPatterns } from "#kits/permissions/leaving.ts"
import { type CaseJudge, openCaseJudge } from "./permission-cases.ts"
import type { Setting } from "./setting.ts"
import { wallsHere } from "./walls-here.ts"

export interface Confinement {
  readonly confined: boolean
  readonly policy?: "reader" | "workspace"
  readonly because: string
  readonly behavior: Behavior
}

interface Exclusion {
  readonly text: string
  readonly file: string
}

export async function confinementHere(command: string, { cwd, home, state, loaded }: Setting): Promise<Confinement> {
  const walls = await wallsHere(state, loaded.settings.sandbox)
  const cases = await openCaseJudge({ cwd, home, state, walls, path: () => processEnvironment().PATH })
  const mode: PermissionMode = loaded.settings.permissions.defaultMode
  const added = loaded.additionalDirectories
  const given = { mode, rules: loaded.rules, tool: "Bash", input: { command }, cwd, added }
  const { behavior, reason, message } = cases.judge(given)
  if (behavior === "deny") return { confined: false, because: message.replace(/\.$/, ""), behavior }
  const reads = behavior === "allow" && reason.kind === "read_only"
  if (reads && !walls.reader)
    return { confined: false, because: `the sandbox does not work here. ${whyOf(walls)}`, behavior }
  if (reads)
    return { confined: true, policy: "reader", because: "the command only reads, so it runs without asking", behavior }
  if (mode === "plan") return { confined: true, policy: "reader", because: "plan mode only reads", behavior }
  if (walls.workspace === "off") return { confined: false, because: "the sandbox is off (sandbox.enabled)", behavior }
  if (cases.leaving(given, walls) === undefined)
    return { confined: true, policy: "workspace", because: "the sandbox is on", behavior }
  const excluded = loaded.sandbox.flatMap(({ file, value }) =>
    (value.excludedCommands ?? []).map((text) => ({ text, file: tilde(file, home) })),
  )
  return { confined: false, because: exclusionOf(cases, given, walls, excluded), behavior }
}

const whyOf = ({ why = "" }: Walls): string => why.replace(/\.$/, "")

function exclusionOf(
  cases: CaseJudge,
  given: Parameters<CaseJudge["leaving"]>[0],
  walls: Walls,
  excluded: readonly Exclusion[],
): string {
  const by = excluded.find(
    ({ text }) => cases.leaving(given, { ...walls, excluded: excludedPatterns([text]) }) === "excluded",
  )
  return by
    ? `"${by.text}" in sandbox.excludedCommands in ${by.file}`
    : "every part of the command is in sandbox.excludedCommands"
}
