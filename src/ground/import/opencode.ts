/** What opencode keeps in its folders: one for its configuration, one for its conversations. */

import { join } from "node:path"
import type { Behavior } from "#agent/words/permission.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { instructions, loginWords } from "./codex.ts"
import { skillFiles } from "./files.ts"
import {
  type FoundSetup,
  type FoundFile,
  type FoundRule,
  type FoundServer,
  type FoundSetting,
  type ImportPlaces,
  nothingFound,
  type ParseJson,
  type Skipped,
} from "./found.ts"
import { described, frontMatter, ownModel, plainName, ruleTool, wideWords, withFrontMatter } from "./names.ts"
import { opencodeConversations } from "./opencode-sessions.ts"
import { filesBelow, isThere, objectAt, readText, textIn, textsIn } from "./read.ts"

export function findOpencode({ home, from, parseJson }: ImportPlaces): FoundSetup {
  const folder = from ?? join(home, ".config", "opencode")
  const store = from ?? join(home, ".local", "share", "opencode")
  const { config, skipped } = configIn(folder, parseJson)
  const rules = rulesIn(config)
  return {
    ...nothingFound,
    settings: settingsIn(config),
    servers: serversIn(config),
    rules: rules.rules,
    files: [
      ...markdown(folder, ["command", "commands"], commandText, "command"),
      ...inline(config.command, "template", commandText, "command"),
      ...markdown(folder, ["agent", "agents"], agentText, "agent"),
      ...inline(config.agent, "prompt", agentText, "agent"),
      ...["skill", "skills"].flatMap((below) => skillFiles(join(folder, below))),
      ...instructions(join(folder, "AGENTS.md"), "opencode"),
    ],
    conversations: opencodeConversations(store),
    skipped: [
      ...skipped,
      ...rules.skipped,
      ...otherKeys(config),
      ...(isThere(join(store, "auth.json")) ? [{ what: "auth.json", why: loginWords("<provider>") }] : []),
    ],
  }
}

function configIn(
  folder: string,
  parseJson: ParseJson,
): { readonly config: JsonObject; readonly skipped: readonly Skipped[] } {
  const skipped: Skipped[] = []
  const configs = ["config.json", "opencode.json", "opencode.jsonc"].map((name): JsonObject => {
    const file = join(folder, name)
    const text = readText(file)
    const parsed = text.ok && text.value !== undefined ? parseJson(text.value) : undefined
    if (!text.ok) skipped.push({ what: file, why: text.failure })
    else if (parsed && !parsed.ok) skipped.push({ what: file, why: parsed.failure })
    return objectAt(parsed?.ok ? parsed.value : undefined)
  })
  return { config: Object.assign({}, ...configs), skipped }
}

function settingsIn({ model, small_model }: JsonObject): readonly FoundSetting[] {
  const of = (key: string, was: string, value: JsonValue | undefined): readonly FoundSetting[] =>
    typeof value === "string" ? [{ key, value: ownModel(value), was: `${was} ${value}` }] : []
  return [...of("model", "model", model), ...of("smallModel", "small_model", small_model)]
}

const followed = [
  "$schema",
  "model",
  "small_model",
  "mcp",
  "permission",
  "agent",
  "command",
  "theme",
  "autoupdate",
  "username",
  "share",
]

const otherKeys = (config: JsonObject): readonly Skipped[] =>
  Object.keys(config)
    .filter((key) => !followed.includes(key))
    .map((key) => ({ what: key, why: otherWhys[key] ?? "there is no such setting here" }))

const otherWhys: { readonly [key: string]: string } = {
  provider: "providers are set up here with codewright login, or the setting providers",
  instructions: "import these files from AGENTS.md: a line with @path",
  plugin: "its plugins are programs of its own; hooks are how to do the same here",
}

function serversIn({ mcp }: JsonObject): readonly FoundServer[] {
  return Object.entries(objectAt(mcp)).flatMap(([name, value]): readonly FoundServer[] => {
    const { type, command, environment, url, headers, enabled } = objectAt(value)
    if (enabled === false) return []
    const [program = "", ...args] = textsIn(command)
    if (type === "remote" || textIn(url) !== undefined)
      return [
        {
          name,
          config: { type: "http", url: url ?? "", ...(headers !== undefined && { headers: variables(headers) }) },
        },
      ]
    return [{ name, config: { type: "stdio", command: program, args, env: variables(environment) } }]
  })
}

/** `{env:NAME}` is a variable there. */
const variables = (env: JsonValue | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(objectAt(env)).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replace(/\{env:(\w+)\}/g, "${$1}") : value,
    ]),
  )

function behaviorOf(value: JsonValue | undefined): Behavior | undefined {
  return value === "allow" || value === "ask" || value === "deny" ? value : undefined
}

function rulesIn({ permission }: JsonObject): {
  readonly rules: readonly FoundRule[]
  readonly skipped: readonly Skipped[]
} {
  const rules: FoundRule[] = []
  const skipped: Skipped[] = []
  const put = (tool: string, pattern: string, value: JsonValue | undefined): void => {
    const behavior = behaviorOf(value)
    const was = `permission ${tool} ${pattern}: ${String(value)}`
    const own = ruleTool(tool)
    if (behavior === undefined || own === undefined)
      return void skipped.push({ what: was, why: "nothing here is like it" })
    const rule = ruleOf(own, pattern)
    // What is not read asks here anyway.
    if (behavior === "ask" && pattern === "*") return
    if (behavior === "allow" && pattern === "*") return void skipped.push({ what: was, why: wideWords(own) })
    if (behavior === "allow" && /[*?]/.test(pattern.replace(/ \*$/, "")))
      return void skipped.push({ what: was, why: "it allows more than a rule here can say. Add narrower ones" })
    rules.push({ behavior, rule, was })
  }
  for (const [tool, value] of Object.entries(objectAt(permission)))
    if (typeof value === "string") put(tool, "*", value)
    else for (const [pattern, inner] of Object.entries(objectAt(value))) put(tool, pattern, inner)
  return { rules, skipped }
}

function ruleOf(tool: string, pattern: string): string {
  if (pattern === "*") return tool
  return tool === "Bash" && pattern.endsWith(" *") ? `Bash(${pattern.slice(0, -2)}:*)` : `${tool}(${pattern})`
}

type Rewrite = (name: string, fields: JsonObject, body: string) => string

function markdown(
  folder: string,
  places: readonly string[],
  rewrite: Rewrite,
  kind: "command" | "agent",
): readonly FoundFile[] {
  return places.flatMap((below) =>
    filesBelow(join(folder, below), ".md").flatMap((path): readonly FoundFile[] => {
      const name = plainName(path, ".md")
      const from = join(folder, below, path)
      const text = readText(from)
      if (name === undefined || !text.ok || text.value === undefined) return []
      const { fields, body } = frontMatter(text.value)
      return [{ kind, place: `${kind}s/${name}.md`, text: rewrite(name, fields, body), from }]
    }),
  )
}

const inline = (
  definitions: JsonValue | undefined,
  bodyField: string,
  rewrite: Rewrite,
  kind: "command" | "agent",
): readonly FoundFile[] =>
  Object.entries(objectAt(definitions)).flatMap(([name, value]): readonly FoundFile[] => {
    const body = textIn(objectAt(value)[bodyField])
    if (body === undefined || body.includes("{file:") || plainName(`${name}.md`, ".md") === undefined) return []
    return [
      {
        kind,
        place: `${kind}s/${name}.md`,
        text: rewrite(name, objectAt(value), `${body}\n`),
        from: `${kind}.${name}`,
      },
    ]
  })

const modelOf = (fields: JsonObject): string | undefined => {
  const model = textIn(fields.model)
  return model === undefined ? undefined : ownModel(model)
}

const commandText: Rewrite = (_name, fields, body) =>
  withFrontMatter({ description: described(fields), model: modelOf(fields) }, body)

const agentText: Rewrite = (name, fields, body) =>
  withFrontMatter(
    {
      name: name.split("/").at(-1),
      description: described(fields) ?? name,
      model: modelOf(fields),
      disallowedTools: withoutTools(fields).join(", "),
    },
    body,
  )

/** Tools that are switched off, or may never be used. What may only be asked about is asked about here, too. */
function withoutTools({ tools, permission }: JsonObject): readonly string[] {
  const off = Object.entries(objectAt(tools)).filter(([, value]) => value === false || value === "false")
  const denied = Object.entries(objectAt(permission)).filter(([, value]) => value === "deny")
  return [...new Set([...off, ...denied].flatMap(([name]) => (name === "write" ? "Write" : (ruleTool(name) ?? []))))]
}
