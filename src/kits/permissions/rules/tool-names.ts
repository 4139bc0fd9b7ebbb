/** The names that rules may use for tools: which exist, which are synonyms, and which cover others. */

import type { JsonObject } from "#lib/json.ts"

export interface NamedTool {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly changed?: (input: JsonObject) => string | undefined
  readonly coordinates?: true
}

/** Every tool that settings may name, whether or not this session offers it. */
export const knownTools: readonly string[] = [
  "Agent",
  "AskUserQuestion",
  "Bash",
  "BashOutput",
  "CallTool",
  "ConfirmTask",
  "Docs",
  "Edit",
  "EnterPlanMode",
  "ExitPlanMode",
  "Glob",
  "Grep",
  "KillBash",
  "KillShell",
  "LS",
  "LSP",
  "ListMcpResources",
  "ListMcpResourcesTool",
  "ListSessions",
  "MergeBranch",
  "MessageSession",
  "MultiEdit",
  "NotebookEdit",
  "NotebookRead",
  "PowerShell",
  "Read",
  "ReadMcpResource",
  "ReadMcpResourceTool",
  "SendMessage",
  "Skill",
  "SlashCommand",
  "StructuredOutput",
  "Task",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TeamCreate",
  "TeamDelete",
  "TodoRead",
  "TodoWrite",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
]

const sameTool: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ["Task", "Agent"],
    ["Skill", "SlashCommand"],
    ["BashOutput", "TaskOutput"],
    ["KillShell", "KillBash", "TaskStop"],
  ].flatMap((names) => names.map((name) => [name, names])),
)

const readers: readonly string[] = ["Read", "Glob", "Grep", "LS", "NotebookRead"]
const editors: readonly string[] = ["Edit", "Write", "MultiEdit", "NotebookEdit"]

export const pathTools: readonly string[] = [...readers, ...editors]

/** Whether a rule's tool name covers a tool: by name, alias, family, or MCP server. Asked for every rule and call. */
export function namesTool(ruleTool: string, { name, aliases }: NamedTool): boolean {
  if (namesSame(ruleTool, name)) return true
  return aliases !== undefined && aliases.some((alias) => namesSame(ruleTool, alias))
}

/** The same, but not by family: the parameters of Read are not those of Grep. */
export function namesItself(ruleTool: string, tool: NamedTool): boolean {
  return pathTools.includes(ruleTool)
    ? [tool.name, ...(tool.aliases ?? [])].includes(ruleTool)
    : namesTool(ruleTool, tool)
}

function namesSame(ruleTool: string, name: string): boolean {
  const names = sameTool.get(name)
  return names ? names.some((each) => namesOne(ruleTool, each)) : namesOne(ruleTool, name)
}

function namesOne(ruleTool: string, name: string): boolean {
  if (ruleTool === name) return true
  if (ruleTool === "Edit") return editors.includes(name)
  if (ruleTool === "Read") return readers.includes(name)
  if (ruleTool.includes("*")) return starMatches(ruleTool, name)
  // The double underscore ends the server's name, so that mcp__git does not cover mcp__github.
  return name.startsWith(`${ruleTool}__`) && isServer(ruleTool)
}

/** Whether a rule about a whole server covers a call that reads its resources: its input says which server. */
export function namesServer(ruleTool: string, call: { readonly tool: NamedTool; readonly input: JsonObject }): boolean {
  const { server } = call.input
  if (call.tool.name !== "ReadMcpResource" || typeof server !== "string") return false
  // In the form used in tool names.
  const plain = server
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^_+|_+$/g, "")
  return ruleTool.replace(/__\*$/, "") === `mcp__${plain}`
}

function isServer(ruleTool: string): boolean {
  return (
    ruleTool.startsWith("mcp__") && ruleTool.length > "mcp__".length && !ruleTool.slice("mcp__".length).includes("__")
  )
}

function starMatches(pattern: string, name: string): boolean {
  return new RegExp(
    `^${pattern
      .split("*")
      .map((part) => RegExp.escape(part))
      .join(".*")}$`,
  ).test(name)
}
