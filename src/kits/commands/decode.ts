/** Reads the front matter of a command or skill. */

import { isEffort } from "#agent/words/thinking.ts"
import type { CommandDefinition, CommandSource } from "#agent/words/command.ts"
import { decodeFrontMatter, type FrontMatter } from "#ground/extensions/decode-front-matter.ts"
import { anyEvent } from "#ground/extensions/readings.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface CommandFile {
  readonly name: string
  readonly kind: "command" | "skill"
  readonly source: CommandSource
  readonly path?: string
  /** The state in which it was found, where that was looked at. */
  readonly stamp?: string
  readonly folder?: string
  /** The folder of the plugin it comes with. */
  readonly plugin?: string
  readonly pluginData?: string
  /** Of a built-in one, which has no front matter to read. */
  readonly definition?: CommandDefinition
  readonly text: () => string | undefined
}

/** Why a deny rule cannot be parsed; undefined if it can. */
export type RuleCheck = (rule: string) => string | undefined

const mostDescription = 1_000

/** The failure is a message that names the file and why it cannot be used. */
export function decodeCommand(
  file: CommandFile,
  text: string,
  wrongWith: RuleCheck,
): Result<CommandDefinition, string> {
  const where = file.path ?? file.name
  const read = decodeFrontMatter(file.kind, text)
  if (!read.ok) return failed(leftOutWords(where, file.kind, read.failure))
  const head = read.value
  const allowed = head.list("allowedTools") ?? []
  const denied = head.list("disallowedTools") ?? []
  const wrong = denied.map(wrongWith).find((why) => why !== undefined)
  if (wrong !== undefined) return failed(leftOutWords(where, file.kind, wrong))
  const place = placeOf(head)
  if (!place.ok) return failed(leftOutWords(where, file.kind, place.failure))
  const hooks = head.object("hooks") ?? {}
  // They might guard what it allows.
  if (Object.hasOwn(hooks, anyEvent))
    return failed(leftOutWords(where, file.kind, "hooks must be lists of hooks by event, as in settings"))

  const problems = [...head.problems, ...place.value.problems].map((problem) => `${where}: ${problem}`)
  const { body } = head
  const description = textIn(head, "description")
  const argumentNames = head.list("arguments") ?? []
  const model = textIn(head, "model")
  const effort = head.text("effort")
  const paths = head.list("paths") ?? []

  return ok({
    name: file.name,
    kind: file.kind,
    source: file.source,
    description: shortened(description ?? firstLine(body)),
    ...optional("whenToUse", textIn(head, "whenToUse")),
    takes: head.text("argumentHint") ?? argumentNames.map((name) => `<${name}>`).join(" "),
    argumentNames,
    allowedTools: allowed,
    disallowedTools: denied,
    ...optional("model", model === "inherit" ? undefined : model),
    ...optional("effort", isEffort(effort) ? effort : undefined),
    // A command without a description was written for people who know it.
    isForModel: head.flag("disableModelInvocation") !== true && (file.kind === "skill" || description !== undefined),
    isForPerson: head.flag("userInvocable") ?? true,
    ...optional("fork", place.value.fork),
    ...(hasAny(hooks) && { hooks }),
    ...optional("paths", paths.length === 0 ? undefined : paths),
    body,
    ...optional("path", file.path),
    ...optional("folder", file.folder),
    ...optional("plugin", file.plugin),
    ...optional("pluginData", file.pluginData),
    problems,
  })
}

interface ExecutionPlace {
  readonly fork: CommandDefinition["fork"]
  readonly problems: readonly string[]
}

/** Who runs it. An agent may have fewer tools than the conversation, so one wrong word does not disable it. */
function placeOf(head: FrontMatter): Result<ExecutionPlace, string> {
  const context = textIn(head, "context")
  const agent = textIn(head, "agent")
  if (context === "fork") return ok({ fork: optional("agent", agent), problems: [] })
  if (context === undefined) return ok({ fork: undefined, problems: [] })
  if (agent !== undefined)
    return failed(`it names the agent ${agent}, and its context can only be fork, not ${context}`)
  return ok({ fork: undefined, problems: [`context can only be fork, not ${context}.`] })
}

const hasAny = (hooks: JsonObject): boolean =>
  Object.values(hooks).some((groups) => Array.isArray(groups) && groups.length > 0)

const leftOutWords = (where: string, kind: CommandFile["kind"], why: string): string =>
  `${where}: this ${kind} is left out: ${why}${/[.?]$/.test(why) ? "" : "."}`

const textIn = (head: FrontMatter, name: Parameters<FrontMatter["text"]>[0]): string | undefined =>
  head.text(name) || undefined

const firstLine = (body: string): string =>
  body
    .split("\n")
    .map((line) => line.replace(/^[#>\s*-]+/, "").trim())
    .find((line) => line !== "")
    ?.slice(0, 100) ?? ""

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, " ")
  return line.length > mostDescription ? `${line.slice(0, mostDescription - 1).toWellFormed()}…` : line
}
