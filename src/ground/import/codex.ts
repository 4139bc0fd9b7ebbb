/** What Codex keeps in its folder. */

import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { codexConversations } from "./codex-sessions.ts"
import { codexRules } from "./codex-rules.ts"
import { sameFiles, skillFiles } from "./files.ts"
import {
  type FoundSetup,
  type FoundFile,
  type FoundServer,
  type FoundSetting,
  type ImportPlaces,
  nothingFound,
  type Skipped,
} from "./found.ts"
import { ownModel, plainName, withFrontMatter } from "./names.ts"
import { filesBelow, isThere, objectAt, readText, textIn } from "./read.ts"

export function findCodex({ home, from }: ImportPlaces): FoundSetup {
  const folder = from ?? join(home, ".codex")
  const file = join(folder, "config.toml")
  const text = readText(file)
  const config = text.ok ? parseToml(text.value ?? "") : text
  const skipped: Skipped[] = config.ok ? [] : [{ what: file, why: config.failure }]
  const known = config.ok ? config.value : {}
  const settings = settingsIn(known)
  const rules = codexRules(join(folder, "rules"))
  const agents = agentFiles(join(folder, "agents"))
  return {
    ...nothingFound,
    settings: settings.settings,
    servers: serversIn(known),
    rules: rules.rules,
    files: [
      ...sameFiles(folder, "prompts", "command"),
      ...skillFiles(join(folder, "skills")),
      ...agents.files,
      ...instructions(join(folder, "AGENTS.md")),
    ],
    conversations: codexConversations(folder),
    skipped: [
      ...skipped,
      ...settings.skipped,
      ...rules.skipped,
      ...agents.skipped,
      ...(isThere(join(folder, "auth.json")) ? [{ what: "auth.json", why: loginWords("openai") }] : []),
    ],
  }
}

export const loginWords = (provider: string): string => `logins are not copied. Run: codewright login ${provider}`

export function instructions(path: string, source = "codex"): readonly FoundFile[] {
  const text = readText(path)
  return text.ok && text.value !== undefined && text.value.trim() !== ""
    ? [{ kind: "instructions", place: "AGENTS.md", otherwise: `rules/from-${source}.md`, text: text.value, from: path }]
    : []
}

export function parseToml(text: string): Result<JsonObject, string> {
  try {
    // Dates and the like become strings.
    return ok(objectAt(JSON.parse(JSON.stringify(Bun.TOML.parse(text)))))
  } catch (error) {
    return failed(`not TOML: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`)
  }
}

/** Only what keeps its meaning and lets nothing happen without a question. */
function settingsIn(config: JsonObject): {
  readonly settings: readonly FoundSetting[]
  readonly skipped: readonly Skipped[]
} {
  const settings: FoundSetting[] = []
  const skipped: Skipped[] = []
  for (const [key, value] of Object.entries(config)) {
    const text = textIn(value)
    const was = `${key} = ${JSON.stringify(value)}`
    switch (key) {
      case "mcp_servers":
        break
      case "model":
        if (text === undefined) break
        if (config.model_provider === undefined || config.model_provider === "openai")
          settings.push({ key: "model", value: text.includes("/") ? ownModel(text) : `openai/${text}`, was })
        else skipped.push({ what: was, why: "it is a model of another provider. Add it with /login, then /model" })
        break
      case "model_reasoning_effort":
        if (text === "low" || text === "medium" || text === "high")
          settings.push({ key: "effortLevel", value: text, was })
        else skipped.push({ what: was, why: "there is no such effort here" })
        break
      case "sandbox_mode":
        if (text === "workspace-write") settings.push({ key: "sandbox.enabled", value: true, was })
        else if (text === "read-only") settings.push({ key: "permissions.defaultMode", value: "plan", was })
        else skipped.push({ what: was, why: "it removes protection. Choose a mode here: /mode" })
        break
      case "approval_policy":
        if (text === "never" || text === "on-failure")
          skipped.push({ what: was, why: "it lets things happen without a question. Choose a mode here: /mode" })
        break
      case "projects":
        skipped.push({ what: "projects", why: "trust is not copied. Run codewright trust in a folder" })
        break
      default:
        skipped.push({ what: key, why: "there is no such setting here" })
    }
  }
  return { settings, skipped }
}

function serversIn({ mcp_servers }: JsonObject): readonly FoundServer[] {
  return Object.entries(objectAt(mcp_servers)).flatMap(([name, value]): readonly FoundServer[] => {
    const { command, args, env, url, bearer_token_env_var, http_headers, env_http_headers, enabled } = objectAt(value)
    if (enabled === false) return []
    const address = textIn(url)
    if (address === undefined)
      return [{ name, config: { type: "stdio", command: command ?? "", args: args ?? [], env: env ?? {} } }]
    const variable = textIn(bearer_token_env_var)
    const headers = {
      ...objectAt(http_headers),
      ...Object.fromEntries(
        Object.entries(objectAt(env_http_headers)).flatMap(([header, from]) =>
          typeof from === "string" ? [[header, `\${${from}}`]] : [],
        ),
      ),
      ...(variable !== undefined && { Authorization: `Bearer \${${variable}}` }),
    }
    return [{ name, config: { type: "http", url: address, ...(Object.keys(headers).length > 0 && { headers }) } }]
  })
}

function agentFiles(folder: string): { readonly files: readonly FoundFile[]; readonly skipped: readonly Skipped[] } {
  const files: FoundFile[] = []
  const skipped: Skipped[] = []
  for (const path of filesBelow(folder, ".toml")) {
    const from = join(folder, path)
    const text = readText(from)
    const config = text.ok ? parseToml(text.value ?? "") : text
    const name = plainName(path, ".toml")
    if (!config.ok || name === undefined) {
      skipped.push({ what: from, why: config.ok ? "its name is not one for an agent" : config.failure })
      continue
    }
    const { description, developer_instructions, model } = config.value
    files.push({
      kind: "agent",
      place: `agents/${name}.md`,
      text: withFrontMatter(
        {
          name: name.split("/").at(-1),
          description: textIn(description) ?? name,
          model: textIn(model) === undefined ? undefined : `openai/${textIn(model) ?? ""}`,
        },
        `${textIn(developer_instructions) ?? ""}\n`,
      ),
      from,
    })
  }
  return { files, skipped }
}
