/** What an import would write: each step with its line in the preview, and whether there is something in its way. */

import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import type {
  ForeignConversation,
  FoundSetup,
  FoundConversation,
  FoundFile,
  FoundRule,
  FoundServer,
  FoundSetting,
  Skipped,
} from "#ground/import/found.ts"
import { writeServer, writtenServers } from "#ground/mcp/config-files.ts"
import { readServer } from "#ground/mcp/read-config.ts"
import { parseJsonc } from "#ground/settings/jsonc.ts"
import { listIn, saveRule } from "#ground/settings/save.ts"
import { setSetting } from "#ground/settings/set.ts"
import { projectSlug } from "#ground/settings/state-folder.ts"
import { writeNew } from "#ground/transcript/fork.ts"
import { isSessionId, openSessionLogs } from "#ground/transcript/session-logs.ts"
import { parseRules } from "#kits/permissions/rules/rule.ts"
import { digestOf } from "#lib/digest.ts"
import type { Ids } from "#lib/ids.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { tilde } from "#lib/tilde.ts"
import type { Where } from "#faces/cli/where.ts"
import { logLines } from "./conversation-log.ts"
import { holdsSecret, withoutSecrets } from "./server-secrets.ts"
import { textOfFile } from "#lib/quietly.ts"

export type StepKind = "setting" | "server" | "rule" | "file" | "conversation"

export interface ImportStep {
  readonly kind: StepKind
  /** For the preview. */
  readonly line: string
  /** `there`: it was imported before. `conflict`: something else is in its place, and stays. */
  readonly state: "new" | "there" | "conflict"
  /** When it ended, for a conversation that is new. */
  readonly at?: number
  readonly write: () => Result<void, string>
}

export interface ImportPlan {
  readonly steps: readonly ImportStep[]
  readonly skipped: readonly Skipped[]
}

export interface PlanParts {
  readonly source: string
  readonly where: Where
  readonly withSecrets: boolean
  readonly ids: Ids
}

export function planImport(found: FoundSetup, parts: PlanParts): ImportPlan {
  const skipped: Skipped[] = [...found.skipped]
  const skip = (what: string, why: string): readonly ImportStep[] => {
    skipped.push({ what, why })
    return []
  }
  const steps = [
    ...found.settings.map((one) => settingStep(one, parts)),
    ...found.servers.flatMap((one) => serverStep(one, parts, skip)),
    ...found.rules.flatMap((one) => ruleStep(one, parts, skip)),
    ...found.files.map((one) => fileStep(one, parts)),
    // The last one is written last: sessions are sorted, and one day removed, by when their logs were changed.
    ...found.conversations
      .flatMap((one) => conversationStep(one, parts, skip))
      .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)),
  ]
  return { steps, skipped }
}

type Skip = (what: string, why: string) => readonly ImportStep[]

const settingsFile = ({ where }: PlanParts): string => join(where.state, "settings.json")

function settingStep({ key, value, was }: FoundSetting, parts: PlanParts): ImportStep {
  const file = settingsFile(parts)
  const now = valueAt(currentSettings(file), key.split("."))
  const state = now === undefined ? "new" : Bun.deepEquals(now, value) ? "there" : "conflict"
  const own = state === "conflict" ? `; yours is ${JSON.stringify(now)}` : ""
  return {
    kind: "setting",
    line: `${key}: ${JSON.stringify(value)} (${was}${own})`,
    state,
    write: () => setSetting({ file, key, value }),
  }
}

function currentSettings(file: string): JsonValue {
  const text = textOfFile(file)
  const parsed = text === undefined ? undefined : parseJsonc(text)
  return parsed?.ok ? parsed.value.value : {}
}

function valueAt(value: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  const [step, ...rest] = steps
  if (step === undefined) return value
  return isObject(value) && Object.hasOwn(value, step) ? valueAt(value[step], rest) : undefined
}

function serverStep({ name, config: original }: FoundServer, parts: PlanParts, skip: Skip): readonly ImportStep[] {
  const { where, withSecrets } = parts
  if (!/^[\w.-]+$/.test(name)) return skip(`server ${name}`, "its name is not one for a server")
  const clean = withSecrets ? ok({ config: original, variables: [] }) : withoutSecrets(name, original)
  if (!clean.ok) return skip(`server ${name}`, clean.failure)
  const { config, variables } = clean.value
  const read = readServer(config)
  if (!read.ok) return skip(`server ${name}`, read.failure)
  const places = { root: where.cwd, stateFolder: where.state, claudeFile: join(where.home, ".claude.json") }
  const known = writtenServers(places, ["user"]).servers.find((server) => server.name === name)
  const needs = variables.length === 0 ? "" : `; set ${variables.join(", ")} in your environment`
  return [
    {
      kind: "server",
      line: `${name}: ${serverWords(config)}${needs}`,
      state: known === undefined ? "new" : Bun.deepEquals(known.value, config) ? "there" : "conflict",
      write() {
        const written = writeServer("user", places, name, config)
        return written.ok ? ok(undefined) : written
      },
    },
  ]
}

function serverWords(config: JsonObject): string {
  const { command, args, url } = config
  const { origin = "" } = typeof url === "string" && URL.canParse(url) ? new URL(url) : {}
  if (holdsSecret({ command: command ?? "", args: args ?? [], url: url ?? "" }))
    return typeof url === "string" ? origin : String(command)
  return typeof url === "string" ? url : [command, ...(Array.isArray(args) ? args : [])].map(String).join(" ")
}

function ruleStep({ behavior, rule, was }: FoundRule, parts: PlanParts, skip: Skip): readonly ImportStep[] {
  const file = settingsFile(parts)
  const text = { text: rule, behavior, source: "user settings", base: dirname(file) } as const
  const { problems } = parseRules([text])
  if (problems.length > 0 || /[\n\r]/.test(rule)) return skip(was, `${rule} is not a rule here`)
  const there = listIn({ file }, `permissions.${behavior}`)
  return [
    {
      kind: "rule",
      line: `${behavior} ${rule}`,
      state: there.ok && there.value.includes(rule) ? "there" : "new",
      write() {
        const saved = saveRule({ file, behavior, rule })
        return saved.ok ? ok(undefined) : saved
      },
    },
  ]
}

function fileStep({ place, otherwise, text: content, kind, from }: FoundFile, { where }: PlanParts): ImportStep {
  const text = content.endsWith("\n") ? content : `${content}\n`
  const first = join(where.state, place)
  const second = otherwise === undefined ? undefined : join(where.state, otherwise)
  const before = textOfFile(first)
  const path = before !== undefined && before !== text && second !== undefined ? second : first
  const now = path === first ? before : textOfFile(path)
  return {
    kind: "file",
    line: `${tilde(path, where.home)} (${kind}, from ${tilde(from, where.home)})`,
    state: now === undefined ? "new" : now === text ? "there" : "conflict",
    write() {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        const written = writeNew(path, [text.slice(0, -1)])
        return written.ok ? ok(undefined) : failed(`${path} could not be written.`)
      } catch (error) {
        return failed(`${path} could not be written: ${String(error)}`)
      }
    },
  }
}

function conversationStep(found: FoundConversation, parts: PlanParts, skip: Skip): readonly ImportStep[] {
  const { source, where, ids } = parts
  const id = isSessionId(found.id) ? found.id.toLowerCase() : uuidOf(source, found.id)
  const sessionLogs = openSessionLogs({ projects: where.projects, slug: "" })
  if (sessionLogs.find(id) !== undefined)
    return [{ kind: "conversation", line: id, state: "there", write: () => ok(undefined) }]
  const read = readSafely(found)
  if (!read.ok) return skip(tilde(found.from, where.home), read.failure)
  const { items, cwd, unreadable } = read.value
  const prompts = items.filter(({ kind }) => kind === "prompt")
  if (prompts.length === 0) return skip(tilde(found.from, where.home), "nothing was asked in it")
  if (!cwd.startsWith("/")) return skip(tilde(found.from, where.home), "its folder is not an absolute path")
  if (unreadable > 0)
    skip(tilde(found.from, where.home), `${unreadable} of its lines cannot be read; the rest is imported`)
  return [
    {
      kind: "conversation",
      line: `${id}  ${tilde(cwd, where.home)}  ${titleOf(read.value)}`,
      state: "new",
      at: items.reduce((last, { at }) => Math.max(last, at), 0),
      write: () => writeConversation(found, id, where, ids),
    },
  ]
}

function readSafely({ read }: FoundConversation): Result<ForeignConversation, string> {
  try {
    return read()
  } catch (error) {
    return failed(`it cannot be read: ${String(error)}`)
  }
}

const titleOf = ({ title, items }: ForeignConversation): string => {
  const first = items.find(({ kind }) => kind === "prompt")
  const text = title ?? (first?.kind === "prompt" ? first.text : "")
  return text.trim().split("\n")[0]?.slice(0, 60) ?? ""
}

/** Read again: the preview keeps none of them in memory. */
function writeConversation(found: FoundConversation, id: string, where: Where, ids: Ids): Result<void, string> {
  const read = found.read()
  if (!read.ok) return read
  const { cwd } = read.value
  const path = openSessionLogs({ projects: where.projects, slug: projectSlug(cwd) }).logPath(id)
  const written = writeNew(path, logLines(read.value, id, ids))
  if (!written.ok) return failed(`${path} could not be written.`)
  return ok(undefined)
}

/** The same every time, so that a second import finds the first. */
function uuidOf(source: string, id: string): string {
  const hex = digestOf(["import", source, id])
    .replace(/[^0-9a-f]/g, "")
    .padEnd(32, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
