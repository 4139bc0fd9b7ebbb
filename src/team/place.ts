/** Where teams are kept. */

import { join } from "node:path"

export const teamsFolder = (stateFolder: string): string => join(stateFolder, "teams")

export const teamFile = (stateFolder: string, name: string): string => join(teamsFolder(stateFolder), name, "team.db")

/** Names become folders: letters, digits, dots, dashes and underscores, none of which leads elsewhere. */
export const isTeamName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name)

/** Under which the session that made a team takes tasks and mail. */
export const leadName = "lead"

/** Whose a task is that nobody could do: a list without a team has no lead. */
export const listLead = "user"

/** A name becomes a folder. */
export function safeTeamName(name: string): string | undefined {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-._]+|[-._]+$/g, "")
    .slice(0, 64)
  return isTeamName(plain) ? plain : undefined
}
