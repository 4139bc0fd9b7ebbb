/** The environment of tool processes: ours without keys, and without what makes a shell run more than it was told. */

import { environmentVariables, type RawEnvironment } from "./environment.ts"
import { personalVariables, secretVariables, shellTrapVariables } from "./secrets.ts"

const secret = namePattern(secretVariables)
const shellTrap = namePattern(shellTrapVariables)
const personal = namePattern([
  ...personalVariables,
  ...environmentVariables.flatMap((variable) =>
    variable.personal ? [variable.name, ...(variable.aliases ?? [])] : [],
  ),
])

/** What a child inherits. `keep` names secrets that the person allows through by their exact name. */
export function childEnvironment(env: RawEnvironment, keep: readonly string[] = []): { [name: string]: string } {
  const child: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || shellTrap.test(name)) continue
    if (secret.test(name) && !keep.includes(name)) continue
    child[name] = value
  }
  return child
}

/** Whether a variable belongs to the person, so that a project's settings never set it. */
export function isPersonalVariable(name: string): boolean {
  return personal.test(name) || shellTrap.test(name)
}

function namePattern(names: readonly string[]): RegExp {
  // Case is ignored, because proxies are read in both cases and Windows knows no other way.
  return new RegExp(`^(?:${names.map((name) => name.replaceAll("*", ".*")).join("|")})$`, "i")
}
