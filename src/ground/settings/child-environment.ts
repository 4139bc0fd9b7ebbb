/** The environment of tool processes: ours without keys, and without what makes a shell run more than it was told. */

import { environmentVariables, type RawEnvironment } from "./environment.ts"
import {
  harmlessGitVariables,
  loaderVariables,
  personalVariables,
  secretNameShapes,
  secretValueShapes,
  secretVariables,
  shellTrapVariables,
} from "./secrets.ts"

const secret = namePattern(secretVariables)
const shellTrap = namePattern(shellTrapVariables)
const loader = namePattern(loaderVariables)
const harmlessGit = namePattern(harmlessGitVariables)
const secretName = namePattern(secretNameShapes)
const personal = namePattern([
  ...personalVariables,
  ...environmentVariables.flatMap((variable) =>
    variable.personal ? [variable.name, ...(variable.aliases ?? [])] : [],
  ),
])

/** `keep` names secrets that the user allows by their exact name. */
export function childEnvironment(env: RawEnvironment, keep: readonly string[] = []): { [name: string]: string } {
  const child: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || shellTrap.test(name)) continue
    if (secret.test(name) && !keep.includes(name)) continue
    child[name] = value
  }
  return child
}

/** Whether a variable belongs to the user, so that a project's settings never set it. */
export function isPersonalVariable(name: string): boolean {
  return personal.test(name) || isLoaderVariable(name)
}

/** Whether a variable makes a program load or run something else: no project file may set it. */
export function isLoaderVariable(name: string): boolean {
  return shellTrap.test(name) || (loader.test(name) && !harmlessGit.test(name))
}

/**
 * Whether a variable, by its name or value, is something that others could use to act as the user, and that the user
 * may lend to what a project's file names. This program's own keys are never lent.
 */
export function isLendable(name: string, value: string | undefined): boolean {
  if (secret.test(name)) return false
  return secretName.test(name) || (value !== undefined && secretValueShapes.some((shape) => shape.test(value)))
}

function namePattern(names: readonly string[]): RegExp {
  // Case is ignored, because proxies are read in both cases and Windows knows no other way.
  return new RegExp(`^(?:${names.map((name) => name.replaceAll("*", ".*")).join("|")})$`, "i")
}
