/** Agent definitions: a Markdown file with front matter, or JSON on the command line. */

import { decodeFields, decodeFrontMatter, type FrontMatter } from "#ground/extensions/decode-front-matter.ts"
import { anyEvent } from "#ground/extensions/readings.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isEffort } from "#agent/words/thinking.ts"
import type { AgentDefinition, AgentSource } from "./definition.ts"

export interface AgentFile {
  readonly source: AgentSource
  /** Stands before its name. */
  readonly prefix?: string
  readonly path: string
  readonly text: string
}

/** What was parsed, and a message for each problem. */
export interface Decoded {
  readonly definitions: readonly AgentDefinition[]
  readonly problems: readonly string[]
  /** Rejected agents: their names must not fall back to a less limited one. */
  readonly rejected: readonly string[]
}

export function decodeFile({ source, prefix = "", path, text }: AgentFile): Decoded {
  // Other notes in the folder have no front matter.
  if (!/^\uFEFF?\s*---/.test(text)) return { definitions: [], problems: [], rejected: [] }
  const head = decodeFrontMatter("agent", text)
  if (!head.ok) return leftOut(path, head.failure, nameIn(text))
  const { body } = head.value
  return decoded(head.value, body.trim() === "" ? undefined : body.trim(), { source, prefix, where: path, path })
}

/** The value of `--agents`: an object of definitions by name. The failure is a message. */
export function decodeJson(text: string): Result<Decoded, string> {
  const value = parsed(text)
  if (value === undefined) return failed("it is not JSON")
  if (!isObject(value)) return failed("it must be an object of agents by name")
  const all = Object.entries(value).map(([name, one]): Decoded => {
    const where = `--agents ${name}`
    if (!isObject(one)) return { definitions: [], rejected: [], problems: [`${where}: it must be an object.`] }
    const head = decodeFields("agent", { ...one, name })
    return head.ok
      ? decoded(head.value, head.value.text("prompt"), { source: "command line", where })
      : leftOut(where, head.failure, name)
  })
  return ok({
    definitions: all.flatMap(({ definitions }) => definitions),
    problems: all.flatMap(({ problems }) => problems),
    rejected: all.flatMap(({ rejected }) => rejected),
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Origin {
  readonly source: AgentSource
  readonly where: string
  readonly prefix?: string
  readonly path?: string
}

/** Words of any language with common separators. Nothing that has a special meaning in a path or a rule. */
const nameShape = /^[\p{L}\p{N}_][\p{L}\p{N}\p{M} ._:&+-]*$/u
const mostName = 64

function decoded(
  head: FrontMatter,
  systemPrompt: string | undefined,
  { source, where, prefix = "", path }: Origin,
): Decoded {
  const agentType = head.text("name")
  const whenToUse = head.text("description")
  if (agentType === undefined || !nameShape.test(agentType) || agentType.length > mostName)
    return leftOut(where, "it needs a name of letters, digits, spaces, dots, - and _", undefined, head)
  if (whenToUse === undefined || whenToUse === "")
    return leftOut(where, "it needs a description that says when to use it", agentType, head)
  if (systemPrompt === undefined)
    return leftOut(where, "it needs text that tells the agent what to do", agentType, head)

  const problems = head.problems.map((problem) => `${where}: ${problem}`)
  if (head.flag("forkContext") && head.text("memory") !== undefined)
    problems.push(`${where}: memory has no effect with forkContext.`)
  const limits = limitsOf(head, (problem) => void problems.push(`${where}: ${problem}`))
  if (!limits.ok) return leftOut(where, limits.failure, agentType)
  return {
    problems,
    rejected: [],
    definitions: [
      {
        agentType: `${prefix}${agentType}`,
        whenToUse,
        systemPrompt,
        ...limits.value,
        ...optional("model", head.text("model")),
        ...optional("effort", effortIn(head.text("effort"))),
        ...optional("forkContext", head.flag("forkContext") || undefined),
        ...optional("criticalReminder", head.text("criticalReminder")),
        ...optional("color", head.text("color")),
        ...serversOf(head.object("mcpServers") ?? {}),
        ...optional("hooks", hooksOf(head.object("hooks"))),
        ...optional("skills", some(head.list("skills") ?? [])),
        ...optional("memory", memoryIn(head.text("memory"))),
        ...optional("initialPrompt", head.text("initialPrompt") || undefined),
        ...optional("background", head.flag("background") || undefined),
        ...optional("compactsAt", head.count("autoCompactWindow")),
        ...optional("omitsMemory", head.flag("omitClaudeMd") || undefined),
        source,
        ...optional("path", path),
      },
    ],
  }
}

type AgentLimits = Pick<
  AgentDefinition,
  | "tools"
  | "disallowedTools"
  | "limits"
  | "denies"
  | "onlyReads"
  | "neverAsks"
  | "maxTurns"
  | "maxBudgetUsd"
  | "maxBudgetTokens"
  | "isolation"
>

/** Everything that limits an agent compared to its session. The failure says which limit cannot be enforced. */
function limitsOf(head: FrontMatter, say: (problem: string) => void): Result<AgentLimits, string> {
  const mode = head.text("permissionMode")
  if (mode === "acceptEdits" || mode === "auto" || mode === "bypassPermissions")
    say(`permissionMode ${mode} has no effect: an agent never may do more than its session.`)
  if (Object.hasOwn(head.object("hooks") ?? {}, anyEvent))
    return failed("hooks must be lists of hooks by event, as in settings")
  const denied = splitRules(head.list("disallowedTools") ?? [])
  const [notDenied] = denied.wrong
  if (notDenied !== undefined) return failed(`disallowedTools takes names of tools, and ${notDenied} is not one`)
  const offered = head.list("tools")
  const taken = splitRules(offered ?? [])
  for (const wrong of taken.wrong) say(`tools takes names of tools, and ${wrong} is not one; it is left out.`)
  // A tool without parentheses is not limited by one with them.
  const limits = taken.rules.filter(({ tool }) => !taken.names.includes(tool))
  const names = offered && [...new Set([...taken.names, ...limits.map(({ tool }) => tool)])]
  return ok({
    ...optional("tools", names?.includes("*") ? undefined : names),
    ...optional("disallowedTools", some(denied.names)),
    ...optional("limits", some(limits.map(({ text }) => text))),
    ...optional("denies", some(denied.rules.map(({ text }) => text))),
    ...optional("onlyReads", mode === "plan" ? true : undefined),
    ...optional("neverAsks", mode === "dontAsk" ? true : undefined),
    ...optional("maxTurns", head.count("maxTurns")),
    ...optional("maxBudgetUsd", head.count("maxBudgetUsd")),
    ...optional("maxBudgetTokens", head.count("maxBudgetTokens")),
    ...optional("isolation", head.text("isolation") === "worktree" ? ("worktree" as const) : undefined),
  })
}

function serversOf(servers: JsonObject): Pick<AgentDefinition, "mcpServers" | "ownServers"> {
  const own = Object.entries(servers).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
  return { ...optional("mcpServers", some(Object.keys(servers))), ...optional("ownServers", some(own)) }
}

const hooksOf = (hooks: JsonObject = {}): JsonObject | undefined =>
  Object.values(hooks).some((groups) => Array.isArray(groups) && groups.length > 0) ? hooks : undefined

const effortIn = (word: string | undefined): AgentDefinition["effort"] => (isEffort(word) ? word : undefined)

const memoryIn = (word: string | undefined): AgentDefinition["memory"] =>
  (["user", "project", "local"] as const).find((one) => one === word)

interface WrittenTools {
  readonly names: readonly string[]
  /** Tools with parentheses: part of what they do. */
  readonly rules: readonly { readonly tool: string; readonly text: string }[]
  readonly wrong: readonly string[]
}

function splitRules(written: readonly string[]): WrittenTools {
  const names: string[] = []
  const rules: WrittenTools["rules"][number][] = []
  const wrong: string[] = []
  for (const text of written) {
    const [, tool, content] = /^([\w*-]+)(?:\((.*)\))?$/s.exec(text) ?? []
    if (tool === undefined) wrong.push(text)
    // As elsewhere, `Bash(*)` and `Bash(:*)` mean all of it.
    else if (content === undefined || /^(?::?\*)?$/.test(content.trim())) names.push(tool)
    else rules.push({ tool, text })
  }
  return { names, rules, wrong }
}

const some = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list)

const leftOut = (where: string, why: string, name: string | undefined, head?: FrontMatter): Decoded => ({
  definitions: [],
  rejected: name === undefined ? [] : [name],
  problems: [
    ...(head?.problems ?? []).map((problem) => `${where}: ${problem}`),
    `${where}: this agent is left out: ${why}${why.endsWith("?") ? "" : "."}`,
  ],
})

/** The name in a rejected front matter, if recognisable. */
const nameIn = (text: string): string | undefined =>
  /^name[ \t]*:[ \t]*["']?([^"'#\r\n]*?)["']?[ \t]*(?:#.*)?\r?$/m.exec(text)?.[1]
