/** What a project's command or skill would run or allow, as a line shown to the user before they trust it. */

import { relative } from "node:path"
import type { CommandDefinition } from "#agent/words/command.ts"
import { lineOf, type ProjectLine } from "#ground/settings/project-lines.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { partsOfBody } from "./body.ts"

/** Undefined if it runs and allows nothing. `root`: the folder that is trusted. */
export function commandLine(definition: CommandDefinition, root: string): ProjectLine | undefined {
  const { name, kind, path, allowedTools, body, hooks } = definition
  const runs = partsOfBody(body).flatMap((part) => (part.kind === "run" ? [part.command] : []))
  const [detail, ...more] = [
    ...allowedTools.map((rule) => `allows ${rule}`),
    ...runs.map((run) => `runs ${run}`),
    ...hookDetails(hooks),
  ]
  if (detail === undefined) return undefined
  const file = path === undefined ? name : relative(root, path)
  return lineOf({
    file,
    what: `${kind} ${name}`,
    detail,
    more,
    value: { allowedTools, runs, ...optional("hooks", hooks) },
  })
}

/** One for each hook, with all that it says. */
const hookDetails = (hooks: JsonObject = {}): readonly string[] =>
  Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).map((group) => `hook ${event} ${describeHooks(group)}`),
  )

function describeHooks(group: JsonValue): string {
  if (!isObject(group)) return JSON.stringify(group)
  const { matcher, hooks, ...rest } = group
  const on = typeof matcher === "string" && matcher !== "" ? `on ${matcher} ` : ""
  const all = listOf(hooks)
  const [only] = all
  const isPlain = all.length === 1 && isObject(only) && Object.keys(only).length === 2 && Object.keys(rest).length === 0
  if (isPlain && isObject(only) && only.type === "command" && typeof only.command === "string")
    return `${on}runs ${only.command}`
  return `${on}${JSON.stringify({ ...rest, hooks: all })}`
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])
