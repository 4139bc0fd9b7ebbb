/** Tools, models and commands of other agents by our names for them. */

import type { JsonObject } from "#lib/json.ts"
import { textIn } from "./read.ts"

interface SameTool {
  readonly name: string
  /** Our names of its fields, by theirs. */
  readonly fields: { readonly [theirs: string]: string }
}

const file = { filePath: "file_path", absolute_path: "file_path", path: "file_path", file_path: "file_path" }

/** Only what does the same here: a resumed conversation reads as if it had been had here. */
const tools: { readonly [name: string]: SameTool } = {
  shell: { name: "Bash", fields: { command: "command", cmd: "command" } },
  exec_command: { name: "Bash", fields: { command: "command", cmd: "command" } },
  local_shell: { name: "Bash", fields: { command: "command" } },
  run_shell_command: { name: "Bash", fields: { command: "command" } },
  bash: { name: "Bash", fields: { command: "command" } },
  read_file: { name: "Read", fields: file },
  read: { name: "Read", fields: file },
  write_file: { name: "Write", fields: { ...file, content: "content" } },
  write: { name: "Write", fields: { ...file, content: "content" } },
  replace: { name: "Edit", fields: { ...file, old_string: "old_string", new_string: "new_string" } },
  edit: { name: "Edit", fields: { ...file, oldString: "old_string", newString: "new_string" } },
  glob: { name: "Glob", fields: { pattern: "pattern", path: "path" } },
  grep: { name: "Grep", fields: { pattern: "pattern", path: "path" } },
  search_file_content: { name: "Grep", fields: { pattern: "pattern", path: "path" } },
  grep_search: { name: "Grep", fields: { pattern: "pattern", path: "path" } },
}

export interface NamedCall {
  readonly tool: string
  readonly input: JsonObject
}

export function ownCall(name: string, foreignInput: JsonObject): NamedCall {
  const same = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (!same) return { tool: toolName(name), input: foreignInput }
  const input = Object.fromEntries(
    Object.entries(same.fields).flatMap(([theirs, ours]) => {
      const value = foreignInput[theirs]
      return value === undefined ? [] : [[ours, Array.isArray(value) ? commandLine(value.map(String)) : value]]
    }),
  )
  return { tool: same.name, input }
}

/** As providers take it. */
const toolName = (name: string): string => name.replace(/[^\w-]/g, "_").slice(0, 64) || "tool"

/** `bash -lc "npm test"` is the line that it runs. */
function commandLine(words: readonly string[]): string {
  const [shell = "", flag = "", line] = words
  if (/(^|\/)(ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(flag) && line !== undefined) return line
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ")
}

/** The name of a rule for their tool; undefined if nothing here is like it. */
export function ruleTool(name: string): string | undefined {
  const same = Object.hasOwn(tools, name) ? tools[name]?.name : undefined
  if (same !== undefined) return same === "Write" ? "Edit" : same
  const more: { readonly [name: string]: string } = {
    webfetch: "WebFetch",
    web_fetch: "WebFetch",
    websearch: "WebSearch",
    google_web_search: "WebSearch",
    list: "LS",
    list_directory: "LS",
    task: "Task",
  }
  return Object.hasOwn(more, name) ? more[name] : undefined
}

/** `anthropic/claude-x` is `claude-x` here; other providers keep their names. */
export const ownModel = (name: string): string => name.replace(/^anthropic\//, "").replace(/^google\//, "gemini/")

/** The name of a file without its ending, if it can be the name of a command or an agent. */
export function plainName(path: string, ending: string): string | undefined {
  const name = path.slice(0, -ending.length)
  return name.split("/").every((part) => /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]*$/u.test(part)) ? name : undefined
}

/** Front matter of YAML scalars, and the text below. */
export function withFrontMatter(fields: { readonly [name: string]: string | undefined }, body: string): string {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`${name}: ${JSON.stringify(value)}`],
  )
  return lines.length === 0 ? body : `---\n${lines.join("\n")}\n---\n\n${body}`
}

/** The fields of simple front matter with one level below, and the rest. Anything else in it is left out. */
export function frontMatter(text: string): { readonly fields: JsonObject; readonly body: string } {
  const [, head, body] = /^---\r?\n(.*?)\r?\n---\r?\n?(.*)$/s.exec(text) ?? []
  if (head === undefined) return { fields: {}, body: text }
  const fields = new Map<string, string | Map<string, string>>()
  let around: Map<string, string> | undefined
  for (const line of head.split(/\r?\n/)) {
    const [, indent = "", name = "", value = ""] = /^(\s*)(["\w][\w"*./ -]*?):(?:\s+(.*))?$/.exec(line) ?? []
    if (name === "") continue
    if (indent !== "") around?.set(unquoted(name), unquoted(value))
    else if (value.trim() === "") fields.set(unquoted(name), (around = new Map()))
    else fields.set(unquoted(name), unquoted(value))
  }
  return {
    fields: Object.fromEntries(
      [...fields].map(([name, value]) => [name, typeof value === "string" ? value : Object.fromEntries(value)]),
    ),
    body: (body ?? "").replace(/^\s*\n/, ""),
  }
}

const unquoted = (text: string): string => {
  const [, inner] = /^(?:"(.*)"|'(.*)')$/s.exec(text.trim()) ?? []
  return inner ?? text.trim().replace(/^'(.*)'$/s, "$1")
}

export const described = (fields: JsonObject): string | undefined => textIn(fields.description)

/** Why a rule that allows a whole tool is not taken over; what it denies or asks is. */
export const wideWords = (tool: string): string =>
  ["Read", "Glob", "Grep", "LS"].includes(tool)
    ? "reading in your project never asks here"
    : "it allows everything that the tool can do. Add narrower rules here"
