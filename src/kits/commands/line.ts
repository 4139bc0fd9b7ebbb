/** What a project's command or skill would run or allow, as a line shown to the user before they trust it. */

import { relative } from "node:path"
import type { CommandDefinition } from "#agent/words/command.ts"
import { lineOf, type ProjectLine } from "#ground/settings/project-lines.ts"
import { partsOfBody } from "./body.ts"

/** Undefined if it runs and allows nothing. `root`: the folder that is trusted. */
export function commandLine(definition: CommandDefinition, root: string): ProjectLine | undefined {
  const { name, kind, path, allowedTools, body } = definition
  const runs = partsOfBody(body).flatMap((part) => (part.kind === "run" ? [part.command] : []))
  const [detail, ...more] = [...allowedTools.map((rule) => `allows ${rule}`), ...runs.map((run) => `runs ${run}`)]
  if (detail === undefined) return undefined
  const file = path === undefined ? name : relative(root, path)
  return lineOf({ file, what: `${kind} ${name}`, detail, more, value: { allowedTools, runs } })
}
