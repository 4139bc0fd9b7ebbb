/** Says what is wrong with a fenced block of a guide: each kind is read as the program reads it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { decodeFrontMatter } from "#ground/extensions/decode-front-matter.ts"
import type { FileKind } from "#ground/extensions/fields.ts"
import { serversOfFlag } from "#ground/mcp/config-files.ts"
import { readServer } from "#ground/mcp/read-config.ts"
import { parseJsonc } from "#ground/settings/jsonc.ts"
import { checkSettings } from "#ground/settings/schema.ts"
import type { SettingsFile } from "#ground/settings/settings.ts"
import { readHooks } from "#kits/hooks/config.ts"
import { parseRules } from "#kits/permissions/rules/rule.ts"
import type { JsonObject } from "#lib/json.ts"
import { loadScenario } from "#sim/load-scenario.ts"
import type { Block } from "./markdown.ts"
import type { ProgramNames } from "./program-names.ts"
import { callsIn, commandsIn } from "./shell-words.ts"

const root = resolve(import.meta.dir, "../../..")

/** Why a block of commands is only read and not run. There are no other reasons. */
const reasonsNotToRun = {
  terminal: "opens a screen",
  provider: "asks a real provider",
  server: "runs until it is stopped, or needs such a server",
  network: "needs the network",
  install: "changes the machine",
  yours: "names something that only the reader has",
} as const

const languages = ["sh", "json", "md", "ts", "js", "yaml", "text"]

export const isRun = ({ language, mark }: Block): boolean => language === "sh" && mark === ""

/** The mark `other` is for files of other programs, such as an editor. */
export async function blockProblems(block: Block, names: ProgramNames): Promise<readonly string[]> {
  const { language, mark, text } = block
  if (mark === "other") return language === "json" ? jsonProblems("data", text) : []
  switch (language) {
    case "sh":
      return mark === "" || mark === "file" || mark in reasonsNotToRun
        ? shellProblems(block, names)
        : [`${mark} is no reason not to run it; use ${Object.keys(reasonsNotToRun).join(", ")}, or file for a script`]
    case "json":
      return jsonProblems(mark, text)
    case "md":
      return frontMatterProblems(mark, text)
    case "ts":
    case "js":
      return codeProblems(language, text)
    case "yaml":
      return yamlProblems(mark, text)
    case "text":
      if (mark === "output") return []
      if (mark !== "prompt") return ["text is output or prompt"]
      return [...text.matchAll(/^\/([a-z-]+)/gm)].flatMap(([, name = ""]) => names.slashProblem(name) ?? [])
    default:
      return [
        `the language is ${JSON.stringify(language)}; ${languages.join(", ")} are known, and any other with the mark other`,
      ]
  }
}

function shellProblems({ mark, text }: Block, names: ProgramNames): readonly string[] {
  const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts)
  const commands = commandsIn(text)
  const unknownScripts = commands.flatMap(([program, verb = "", named]) => {
    if (program !== "npm" || mark !== "install" || verb === "ci" || verb === "install") return []
    const name = verb === "run" ? (named ?? "") : verb
    return scripts.includes(name) ? [] : [`package.json has no script ${name}`]
  })
  const variables = commands.flatMap((words) =>
    words.flatMap((word) => /^([A-Z][A-Z0-9_]*_[A-Z0-9_]+)=/.exec(word)?.[1] ?? []),
  )
  return [
    ...unknownScripts,
    ...callsIn(text).flatMap(({ words }) => names.callProblem(words) ?? []),
    ...variables.flatMap((name) => names.variableProblem(name) ?? []),
  ]
}

function jsonProblems(mark: string, text: string): readonly string[] {
  const parsed = parseJsonc(text)
  if (!parsed.ok) return [JSON.stringify(parsed.failure)]
  switch (mark) {
    case "settings":
      return settingsProblems(parsed.value.value as SettingsFile)
    case "mcp": {
      const servers = serversOfFlag(text, root)
      if (!servers.ok) return [servers.failure]
      return servers.value.flatMap(({ value }) => {
        const server = readServer(value)
        return server.ok ? [] : [server.failure]
      })
    }
    case "plugin":
    case "data":
      return []
    default:
      return ["json is settings, mcp, plugin or data"]
  }
}

function settingsProblems(settings: SettingsFile): readonly string[] {
  const complaints = checkSettings(settings).map((complaint) => JSON.stringify(complaint))
  if (complaints.length > 0) return complaints
  const { allow = [], ask = [], deny = [] } = settings.permissions ?? {}
  const texts = [
    ...allow.map((text) => ({ behavior: "allow" as const, text })),
    ...ask.map((text) => ({ behavior: "ask" as const, text })),
    ...deny.map((text) => ({ behavior: "deny" as const, text })),
  ].map((rule) => ({ ...rule, source: "user settings" as const }))
  const hooks = readHooks(
    [
      {
        source: "user",
        file: "settings.json",
        isProject: false,
        hooks: JSON.parse(JSON.stringify(settings.hooks ?? {})),
      },
    ],
    {
      ruleProblem: (rule) =>
        parseRules([{ behavior: "allow", text: rule, source: "user settings" }]).problems[0]?.message,
    },
  )
  return [...parseRules(texts).problems.map(({ message }) => message), ...hooks.problems]
}

const kinds: readonly FileKind[] = ["command", "skill", "agent", "style", "rule"]

function frontMatterProblems(mark: string, text: string): readonly string[] {
  const kind = kinds.find((one) => one === mark)
  if (!kind) return mark === "memory" ? [] : [`md is memory, ${kinds.join(", ")}`]
  const read = decodeFrontMatter(kind, text)
  return read.ok ? read.value.problems : [read.failure]
}

async function codeProblems(language: "ts" | "js", text: string): Promise<readonly string[]> {
  try {
    const { imports } = new Bun.Transpiler({ loader: language }).scan(text)
    if (!imports.some(({ path }) => path === "codewright")) return []
  } catch (error) {
    return [String(error)]
  }
  const library = await Bun.file(join(root, "src/index.ts")).text()
  const named = [...text.matchAll(/import \{([^}]+)\} from "codewright"/g)].flatMap(([, list = ""]) => list.split(","))
  return named
    .map((name) => name.replace(/^\s*type\s/, "").trim())
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(library))
    .map((name) => `codewright exports no ${name}`)
}

async function yamlProblems(mark: string, text: string): Promise<readonly string[]> {
  if (mark === "action") {
    const known = Bun.YAML.parse(await Bun.file(join(root, "action.yml")).text()) as { readonly inputs: JsonObject }
    const { steps } = Bun.YAML.parse(text) as { readonly steps: readonly JsonObject[] }
    const given = steps
      .filter(({ uses }) => String(uses).startsWith("codewright/"))
      .map((step) => step.with as JsonObject)
    return given.flatMap((inputs) =>
      Object.keys(inputs).flatMap((name) => (name in known.inputs ? [] : [`action.yml has no input ${name}`])),
    )
  }
  if (mark !== "scenario") return ["yaml is action or scenario"]
  const folder = mkdtempSync(join(tmpdir(), "codewright-guides-"))
  writeFileSync(join(folder, "a.yaml"), text)
  const loaded = await loadScenario(join(folder, "a.yaml"))
  rmSync(folder, { recursive: true })
  return loaded.ok ? [] : [JSON.stringify(loaded.failure)]
}
