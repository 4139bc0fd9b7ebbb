/** What Gemini CLI keeps in its folder. */

import { join } from "node:path"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { instructions, loginWords, parseToml } from "./codex.ts"
import { sameFiles, skillFiles } from "./files.ts"
import {
  type FoundSetup,
  type FoundFile,
  type FoundRule,
  type FoundServer,
  type FoundSetting,
  type ImportPlaces,
  nothingFound,
  type Skipped,
} from "./found.ts"
import { geminiConversations } from "./gemini-chats.ts"
import { plainName, ruleTool, wideWords, withFrontMatter } from "./names.ts"
import { filesBelow, isThere, objectAt, readText, textIn, textsIn } from "./read.ts"

export function findGemini({ home, from, parseJson }: ImportPlaces): FoundSetup {
  const folder = from ?? join(home, ".gemini")
  const file = join(folder, "settings.json")
  const text = readText(file)
  const parsed = text.ok && text.value !== undefined ? parseJson(text.value) : undefined
  const problem = !text.ok ? text.failure : parsed && !parsed.ok ? parsed.failure : undefined
  const settings = objectAt(parsed?.ok ? parsed.value : undefined)
  const tools = objectAt(settings.tools)
  const allowed = rulesIn([...textsIn(tools.allowed), ...textsIn(settings.allowedTools)], "allow")
  const denied = rulesIn([...textsIn(tools.exclude), ...textsIn(settings.excludeTools)], "deny")
  const commands = commandFiles(join(folder, "commands"))
  return {
    ...nothingFound,
    settings: settingsIn(settings),
    servers: serversIn(settings),
    rules: [...allowed.rules, ...denied.rules, ...serverRules(settings)],
    files: [
      ...commands.files,
      ...sameFiles(folder, "agents", "agent"),
      ...skillFiles(join(folder, "skills")),
      ...instructions(join(folder, "GEMINI.md"), "gemini"),
    ],
    conversations: geminiConversations(folder, home),
    skipped: [
      ...(problem === undefined ? [] : [{ what: file, why: problem }]),
      ...allowed.skipped,
      ...denied.skipped,
      ...commands.skipped,
      ...otherKeys(settings),
      ...(isThere(join(folder, "oauth_creds.json")) ? [{ what: "oauth_creds.json", why: loginWords("gemini") }] : []),
      ...(isThere(join(folder, "policies"))
        ? [{ what: "policies", why: "its rules have other meanings. Add yours with codewright permissions add" }]
        : []),
    ],
  }
}

/** Older files have these keys at the top. */
function settingsIn(settings: JsonObject): readonly FoundSetting[] {
  const { model, general, vimMode } = settings
  const name = textIn(model) ?? textIn(objectAt(model).name)
  const vim = vimMode ?? objectAt(general).vimMode
  return [
    ...(name === undefined || name.startsWith("auto")
      ? []
      : [{ key: "model", value: `gemini/${name}`, was: `model ${name}` }]),
    ...(vim === true ? [{ key: "editorMode", value: "vim", was: "vimMode" }] : []),
  ]
}

const followed = ["model", "general", "vimMode", "tools", "allowedTools", "excludeTools", "mcpServers"]
/** How it looks, where it is logged in, and what has no counterpart. */
const silent = ["$schema", "ui", "theme", "security", "selectedAuthType", "ide", "privacy", "telemetry"]

const otherKeys = (settings: JsonObject): readonly Skipped[] =>
  Object.keys(settings)
    .filter((key) => !followed.includes(key) && !silent.includes(key))
    .map((key) => ({ what: key, why: "there is no such setting here" }))

function rulesIn(
  names: readonly string[],
  behavior: "allow" | "deny",
): { readonly rules: readonly FoundRule[]; readonly skipped: readonly Skipped[] } {
  const rules: FoundRule[] = []
  const skipped: Skipped[] = []
  for (const was of names) {
    const [, name = "", inner] = /^([\w-]+)(?:\((.*)\))?$/s.exec(was) ?? []
    const tool = ruleTool(name) ?? (name === "ShellTool" ? "Bash" : undefined)
    if (tool === undefined) skipped.push({ what: was, why: "no tool here is called so" })
    else if (behavior === "allow" && inner === undefined) skipped.push({ what: was, why: wideWords(tool) })
    else rules.push({ behavior, rule: inner === undefined ? tool : `${tool}(${inner}:*)`, was })
  }
  return { rules, skipped }
}

function serversIn({ mcpServers }: JsonObject): readonly FoundServer[] {
  return Object.entries(objectAt(mcpServers)).map(([name, value]): FoundServer => {
    const { command, args, env, url, httpUrl, headers } = objectAt(value)
    const address = textIn(httpUrl) ?? textIn(url)
    const config: JsonObject =
      address === undefined
        ? { type: "stdio", command: command ?? "", args: args ?? [], env: variables(env) }
        : { type: httpUrl === undefined ? "sse" : "http", url: address, ...(headers !== undefined && { headers }) }
    return { name, config }
  })
}

/** `$NAME` is a variable there. */
const variables = (env: JsonValue | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(objectAt(env)).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replace(/^\$(\w+)$/, "${$1}") : value,
    ]),
  )

/** Tools that a server may not offer. */
const serverRules = ({ mcpServers }: JsonObject): readonly FoundRule[] =>
  Object.entries(objectAt(mcpServers)).flatMap(([name, value]) =>
    textsIn(objectAt(value).excludeTools).map((tool) => ({
      behavior: "deny" as const,
      rule: `mcp__${name}__${tool.replace(/\(.*$/s, "")}`,
      was: `${name}.excludeTools`,
    })),
  )

function commandFiles(folder: string): { readonly files: readonly FoundFile[]; readonly skipped: readonly Skipped[] } {
  const files: FoundFile[] = []
  const skipped: Skipped[] = []
  for (const path of filesBelow(folder, ".toml")) {
    const from = join(folder, path)
    const text = readText(from)
    const config = text.ok ? parseToml(text.value ?? "") : text
    const name = plainName(path, ".toml")
    const prompt = config.ok ? textIn(config.value.prompt) : undefined
    if (!config.ok || name === undefined || prompt === undefined) {
      const why = !config.ok
        ? config.failure
        : prompt === undefined
          ? "it has no prompt"
          : "its name is not one for a command"
      skipped.push({ what: from, why })
      continue
    }
    const body = prompt
      .replaceAll("{{args}}", () => "$ARGUMENTS")
      .replace(/!\{([^{}\n`]*)\}/g, (_, command: string) => `!\`${command}\``)
      .replace(/@\{([^{}\n]*)\}/g, (_, file: string) => `@${file}`)
    files.push({
      kind: "command",
      place: `commands/${name}.md`,
      text: withFrontMatter({ description: textIn(config.value.description) }, `${body.trimEnd()}\n`),
      from,
    })
  }
  return { files, skipped }
}
