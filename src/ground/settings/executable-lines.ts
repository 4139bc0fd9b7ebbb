/** What a project's files would have run, in lines a person can judge before they trust the folder. */

import { join } from "node:path"
import { isObject, type JsonValue } from "#lib/json.ts"
import { executableKeys, projectFiles, settingsIn } from "./executable.ts"

export interface ExecutableLine {
  /** Relative to the folder. */
  readonly file: string
  /** `hook PreToolUse`, `MCP server`, `variable`, or the key itself. */
  readonly what: string
  readonly detail: string
}

export function executableLines(root: string): readonly ExecutableLine[] {
  return projectFiles.flatMap((file) =>
    Object.entries(settingsIn(join(root, file)))
      .filter(([key]) => executableKeys.includes(key))
      .flatMap(([key, value]) => linesOf(key, value).map((line) => ({ file, ...line }))),
  )
}

type Line = Omit<ExecutableLine, "file">

function linesOf(key: string, value: JsonValue): readonly Line[] {
  switch (key) {
    case "hooks":
      return hookLines(value)
    case "mcpServers":
      return membersOf(value).map(([name, server]) => ({ what: `MCP server ${name}`, detail: serverText(server) }))
    case "env":
      return membersOf(value).map(([name, given]) => ({ what: `variable ${name}`, detail: textOf(given) }))
    default:
      return [{ what: key, detail: isObject(value) ? commandOf(value) : textOf(value) }]
  }
}

function hookLines(value: JsonValue): readonly Line[] {
  return membersOf(value).flatMap(([moment, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group) => {
      const hooks = isObject(group) && Array.isArray(group.hooks) ? group.hooks : []
      return hooks.map((hook) => ({ what: `hook ${moment}`, detail: isObject(hook) ? commandOf(hook) : textOf(hook) }))
    }),
  )
}

const membersOf = (value: JsonValue): readonly (readonly [string, JsonValue])[] =>
  isObject(value) ? Object.entries(value) : []

function commandOf(value: { readonly [key: string]: JsonValue }): string {
  const command = value.command ?? value.url ?? value.prompt
  return command === undefined ? textOf(value) : textOf(command)
}

function serverText(server: JsonValue): string {
  if (!isObject(server)) return textOf(server)
  const words = Array.isArray(server.args) ? server.args.map(textOf) : []
  return [commandOf(server), ...words].join(" ")
}

const textOf = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value))
