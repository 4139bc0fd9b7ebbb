/** The environment of tool processes: ours without keys, and without what makes a shell run more than it was told. */

import { lazily } from "#lib/lazily.ts"
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

const isSecret = isAmong(() => secretVariables)
const isShellTrap = isAmong(() => shellTrapVariables)
const isLoader = isAmong(() => loaderVariables)
const isHarmlessGit = isAmong(() => harmlessGitVariables)
const isSecretName = isAmong(() => secretNameShapes)
const isPersonal = isAmong(() => [
  ...personalVariables,
  ...environmentVariables.flatMap((variable) =>
    variable.personal ? [variable.name, ...(variable.aliases ?? [])] : [],
  ),
])

/** `keep` names secrets that the user allows by their exact name. */
export function childEnvironment(env: RawEnvironment, keep: readonly string[] = []): { [name: string]: string } {
  const child: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isShellTrap(name)) continue
    if (isSecret(name) && !keep.includes(name)) continue
    child[name] = value
  }
  return child
}

/** Whether a variable is a key or token of this program's own. */
export const isOwnSecret = (name: string): boolean => isSecret(name)

/** Whether a variable belongs to the user, so that a project's settings never set it. */
export function isPersonalVariable(name: string): boolean {
  return isPersonal(name) || isLoaderVariable(name)
}

/** Whether a variable makes a program load or run something else: no project file may set it. */
export function isLoaderVariable(name: string): boolean {
  return isShellTrap(name) || (isLoader(name) && !isHarmlessGit(name))
}

/**
 * Whether a variable, by its name or value, is something that others could use to act as the user, and that the user
 * may lend to what a project's file names. This program's own keys are never lent.
 */
export function isLendable(name: string, value: string | undefined): boolean {
  if (isSecret(name)) return false
  return isSecretName(name) || (value !== undefined && secretValueShapes.some((shape) => shape.test(value)))
}

/** A session starts before it asks, so the pattern is made by the first question. */
function isAmong(names: () => readonly string[]): (name: string) => boolean {
  // Case is ignored, because proxies are read in both cases and Windows knows no other way.
  const pattern = lazily(() => new RegExp(`^(?:${names().join("|").replaceAll("*", ".*")})$`, "i"))
  return (name) => pattern().test(name)
}
