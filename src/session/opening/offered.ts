/** Which of the program's own tools a session offers. */

import { namesItself, type NamedTool } from "#kits/permissions/rules/tool-names.ts"

/** `chosen`: all when absent. */
export const isOffered = (chosen: readonly string[] | undefined, tool: NamedTool): boolean =>
  chosen === undefined || chosen.some((name) => namesItself(name, tool))
