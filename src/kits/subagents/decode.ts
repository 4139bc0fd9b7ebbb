/** Definitions as people write them: a Markdown file with front matter, or JSON on the command line. */

import { permissionModes } from "#agent/words/permission.ts"
import { readFrontMatter } from "#lib/front-matter.ts"
import { given } from "#lib/given.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { AgentDefinition, AgentSource } from "./definition.ts"

/** A file of a folder `agents`. */
export interface AgentFile {
  readonly source: AgentSource
  readonly path: string
  readonly text: string
}

/** What was understood, and a sentence for each thing that was not. */
export interface Decoded {
  readonly definitions: readonly AgentDefinition[]
  readonly problems: readonly string[]
}

export function decodeFile({ source, path, text }: AgentFile): Decoded {
  const { fields, body } = readFrontMatter(text)
  return decoded({ ...fields, prompt: body }, { source, where: path, path })
}

/** The value of `--agents`: an object of definitions by name. The failure is a sentence. */
export function decodeJson(text: string): Result<Decoded, string> {
  const value = parsed(text)
  if (value === undefined) return failed("it is not JSON")
  if (!isObject(value)) return failed("it must be an object of agents by name")
  const all = Object.entries(value).map(([name, one]) =>
    isObject(one)
      ? decoded({ ...one, name }, { source: "command line", where: `--agents ${name}` })
      : { definitions: [], problems: [`--agents ${name}: it must be an object.`] },
  )
  return ok({
    definitions: all.flatMap(({ definitions }) => definitions),
    problems: all.flatMap(({ problems }) => problems),
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Fields of a file are texts and lists of texts; those of JSON may be anything. */
interface Fields {
  readonly [name: string]: JsonValue | readonly string[] | undefined
}

interface Origin {
  readonly source: AgentSource
  readonly where: string
  readonly path?: string
}

const nameShape = /^[A-Za-z0-9][\w-]*(?::[\w-]+)?$/
const mostName = 64
const mostTurns = 10_000

function decoded(fields: Fields, { source, where, path }: Origin): Decoded {
  const problems: string[] = []
  const say = (problem: string): void => void problems.push(`${where}: ${problem}`)
  const text = (name: string): string | undefined => {
    const value = fields[name]
    if (value === undefined || value === null) return undefined
    if (typeof value === "string") return value.trim() === "" ? undefined : value.trim()
    if (typeof value === "number" || typeof value === "boolean") return String(value)
    say(`${name} must be a text; it is left out.`)
    return undefined
  }
  const isOn = (name: string): true | undefined => (text(name) === "true" ? true : undefined)

  const agentType = text("name")
  const whenToUse = text("description")
  const systemPrompt = text("prompt")
  const missing =
    agentType === undefined || !nameShape.test(agentType) || agentType.length > mostName
      ? "it needs a name of letters, digits, - and _"
      : whenToUse === undefined
        ? "it needs a description that says when to use it"
        : systemPrompt === undefined
          ? "it needs a text that tells the agent what to do"
          : undefined
  if (agentType === undefined || whenToUse === undefined || systemPrompt === undefined || missing !== undefined)
    return { definitions: [], problems: [...problems, `${where}: this agent is left out: ${missing ?? ""}.`] }

  const mode = text("permissionMode")
  if (mode !== undefined && !permissionModes.some((known) => known === mode))
    say(`there is no permission mode ${mode}; the agent works in that of the session.`)
  else if (mode !== undefined && mode !== "plan" && mode !== "default")
    say(`permissionMode ${mode} is not followed: an agent may never do more than its session. Only plan tightens it.`)
  for (const field of unfollowed) if (fields[field] !== undefined) say(`${field} is not followed yet.`)
  for (const field of Object.keys(fields)) {
    if (knownFields.includes(field)) continue
    const near = nearNames(field, knownFields, 1)[0]
    if (near !== undefined) say(`there is no field ${field}; did you mean ${near}?`)
  }
  const isolation = text("isolation")
  if (isolation !== undefined && isolation !== "worktree") say(`isolation can only be worktree, not ${isolation}.`)
  const turns = text("maxTurns")
  const maxTurns = turns === undefined ? undefined : Number(turns)
  const isCount = maxTurns !== undefined && Number.isInteger(maxTurns) && maxTurns > 0 && maxTurns <= mostTurns
  if (maxTurns !== undefined && !isCount) say(`maxTurns must be a whole number from 1 on; it is left out.`)
  const tools = namesIn(fields.tools, "tools", say)

  return {
    problems,
    definitions: [
      {
        agentType,
        whenToUse,
        systemPrompt,
        ...given("tools", tools?.includes("*") ? undefined : tools),
        ...given("disallowedTools", namesIn(fields.disallowedTools, "disallowedTools", say)),
        ...given("model", text("model")),
        ...given("onlyReads", mode === "plan" ? true : undefined),
        ...given("forkContext", isOn("forkContext")),
        ...given("criticalReminder", text("criticalReminder") ?? text("criticalSystemReminder_EXPERIMENTAL")),
        ...given("color", text("color")),
        ...given("maxTurns", isCount ? maxTurns : undefined),
        ...given("background", isOn("background")),
        ...given("isolation", isolation === "worktree" ? ("worktree" as const) : undefined),
        source,
        ...given("path", path),
      },
    ],
  }
}

/** Names separated by commas, or a list of them. A rule would give more than it says, so what has parentheses is left out. */
function namesIn(value: Fields[string], field: string, say: (problem: string) => void): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined
  const all: readonly JsonValue[] =
    typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [value]
  const names: string[] = []
  for (const one of all) {
    const name = typeof one === "string" ? one.trim() : JSON.stringify(one)
    if (name === "") continue
    if (typeof one === "string" && /^(?:\*|[\w*-]+)$/.test(name)) names.push(name)
    else say(`${field} takes names of tools, and ${name} is none; it is left out.`)
  }
  return names
}

const unfollowed: readonly string[] = ["mcpServers", "skills", "hooks", "memory", "effort", "initialPrompt"]

const knownFields: readonly string[] = [
  ...unfollowed,
  "name",
  "description",
  "prompt",
  "tools",
  "disallowedTools",
  "model",
  "permissionMode",
  "forkContext",
  "criticalReminder",
  "criticalSystemReminder_EXPERIMENTAL",
  "color",
  "maxTurns",
  "background",
  "isolation",
]
