/** Rules about one parameter of a call, `Tool(parameter:value)`: which parameters tools have, and what such a rule means. See decision 52. */

import { isTypo } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { starred, type Token } from "./wildcard.ts"

type ParameterKind = "string" | "number" | "boolean" | "list"

/** What rules of a tool already name, so that this parameter is never matched as text: it could be written in another way. */
interface Subject {
  readonly parameter: string
  readonly instead: string
}

interface KnownParameters {
  readonly parameters: { readonly [name: string]: ParameterKind }
  readonly subject?: Subject
}

const filePath = (tool: string): Subject => ({ parameter: "file_path", instead: `${tool}(./path)` })
const folderPath = (tool: string): Subject => ({ parameter: "path", instead: `${tool}(./path)` })
const notebookPath = (tool: string): Subject => ({ parameter: "notebook_path", instead: `${tool}(./path)` })

const agentParameters: KnownParameters["parameters"] = {
  description: "string",
  prompt: "string",
  subagent_type: "string",
  model: "string",
  effort: "string",
  run_in_background: "boolean",
  resume: "string",
  isolation: "string",
}

/** The parameters of the tools here, apart from what their rules name already. */
export const toolParameters: { readonly [tool: string]: KnownParameters } = {
  Agent: { parameters: agentParameters },
  AskUserQuestion: { parameters: { questions: "list" } },
  Bash: {
    parameters: {
      timeout: "number",
      description: "string",
      run_in_background: "boolean",
      dangerouslyDisableSandbox: "boolean",
    },
    subject: { parameter: "command", instead: "Bash(npm test:*)" },
  },
  Edit: {
    parameters: { old_string: "string", new_string: "string", replace_all: "boolean" },
    subject: filePath("Edit"),
  },
  ExitPlanMode: { parameters: { allowedPrompts: "list", plan: "string" } },
  Glob: { parameters: { pattern: "string" }, subject: folderPath("Glob") },
  Grep: {
    parameters: {
      pattern: "string",
      glob: "string",
      type: "string",
      output_mode: "string",
      "-A": "number",
      "-B": "number",
      "-C": "number",
      "-n": "boolean",
      "-i": "boolean",
      multiline: "boolean",
      head_limit: "number",
      offset: "number",
    },
    subject: folderPath("Grep"),
  },
  LSP: {
    parameters: {
      operation: "string",
      line: "number",
      character: "number",
      symbol: "string",
      query: "string",
      newName: "string",
    },
    subject: { parameter: "filePath", instead: "Read(./path)" },
  },
  LS: { parameters: { ignore: "list" }, subject: folderPath("LS") },
  MultiEdit: { parameters: { edits: "list" }, subject: filePath("MultiEdit") },
  NotebookEdit: {
    parameters: {
      cell_id: "string",
      cell_number: "number",
      new_source: "string",
      cell_type: "string",
      edit_mode: "string",
    },
    subject: notebookPath("NotebookEdit"),
  },
  NotebookRead: { parameters: { cell_id: "string" }, subject: notebookPath("NotebookRead") },
  Read: { parameters: { offset: "number", limit: "number", pages: "string" }, subject: filePath("Read") },
  Skill: { parameters: { args: "string" } },
  Task: { parameters: agentParameters },
  TodoWrite: { parameters: { todos: "list" } },
  WebFetch: {
    parameters: { prompt: "string" },
    subject: { parameter: "url", instead: "WebFetch(domain:example.com)" },
  },
  WebSearch: { parameters: { query: "string", allowed_domains: "list", blocked_domains: "list" } },
  Write: { parameters: { content: "string" }, subject: filePath("Write") },
}

/** Parameters that are also programs: `Bash(timeout:*)` is about the program. */
const programs: ReadonlySet<string> = new Set(["timeout"])

export interface ParameterRule {
  readonly parameter: string
  readonly value: readonly Token[]
}

/** What `parameter:value` means in a rule for a tool; undefined if it is not about a parameter. The value is compared with the input as the model wrote it. */
export function parseParameter(
  tool: string,
  content: string,
  behavior: "allow" | "ask" | "deny",
): Result<ParameterRule, string> | undefined {
  const [, name = "", value = ""] = /^(-?[A-Za-z_]\w*)\s*:\s*(.*)$/s.exec(content) ?? []
  if (name === "") return undefined
  const known = Object.hasOwn(toolParameters, tool) ? toolParameters[tool] : undefined
  if (!known)
    return tool.startsWith("mcp__") && value !== "" ? ok({ parameter: name, value: starred(value) }) : undefined
  const { parameters, subject } = known
  const isPrefix = tool === "Bash" && value === "*" && !Object.hasOwn(parameters, name)
  if (isPrefix || (tool === "Bash" && value === "*" && programs.has(name))) return undefined
  if (name === subject?.parameter) return failed(`${name} cannot be matched as text; write ${subject.instead}`)
  if (!Object.hasOwn(parameters, name)) return misspelled(tool, name, known)
  if (subject && behavior === "allow")
    return failed(
      `${name} alone says nothing about what ${tool} would do, so it can be denied or asked about, but not allowed; write ${subject.instead}`,
    )
  const wrong = objection(name, value, parameters)
  return wrong === undefined ? ok({ parameter: name, value: starred(value) }) : failed(wrong)
}

export function parameterForm(tool: string): string {
  const { parameters = { parameter: "string" } } = toolParameters[tool] ?? {}
  const name = Object.keys(parameters).find((each) => parameters[each] !== "list")
  return name === undefined ? `${tool} without parentheses` : `${tool}(${name}:value)`
}

/** A word before a colon may be a name in the tool's own sense, such as an agent of a plugin; otherwise it was meant as a parameter. */
function misspelled(
  tool: string,
  name: string,
  { parameters, subject }: KnownParameters,
): Result<ParameterRule, string> | undefined {
  if (!subject) return undefined
  const near = Object.keys(parameters).find((each) => isTypo(name, each))
  return near === undefined ? undefined : failed(`${tool} has no parameter ${name}; did you mean ${near}?`)
}

function objection(name: string, value: string, parameters: KnownParameters["parameters"]): string | undefined {
  if (value === "") return `it does not say which value of ${name} it is about`
  const names = Object.keys(parameters).map((each) => RegExp.escape(each))
  if (new RegExp(`,\\s*(?:${names.join("|")})\\s*:`).test(value))
    return "it names two parameters; write one rule for each"
  switch (parameters[name]) {
    case "list":
      return `${name} is a list, and only strings, numbers, true and false can be matched`
    case "boolean":
      return value.includes("*") || /^(?:true|false)$/.test(value) ? undefined : `${name} is true or false`
    case "number":
      return /^-?[\d.*]+$/.test(value) ? undefined : `${name} is a number`
    case "string":
    case undefined:
      return undefined
  }
}
