/** Reads the `hooks` of each source into one flat list. Anything unusable is reported, never ignored silently. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { optional } from "#lib/optional.ts"
import { forReading } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { factsOf, type HookEvent, hookEvents } from "./moments.ts"
import { matcherOf, type Matches } from "./match.ts"

export interface HookSource {
  readonly source: string
  readonly file: string
  /** It came with the project, so its URLs are checked like those the model names. */
  readonly isProject: boolean
  readonly hooks: JsonObject
  /** Set if it came with a plugin. */
  readonly plugin?: HookPlugin
  /** For the environment of its programs. */
  readonly variables?: { readonly [name: string]: string }
}

/** Told to the hooks of a plugin by variables: where it is, and where it may keep something. */
export interface HookPlugin {
  readonly root: string
  readonly data: string
}

export type HookWork =
  | {
      readonly type: "command"
      readonly command: string
      /** If present, the command is a program started with these arguments, without a shell. */
      readonly args?: readonly string[]
      readonly interpreter: "sh" | "bash"
    }
  | {
      readonly type: "http"
      readonly url: string
      readonly headers: { readonly [name: string]: string }
      /** Environment variables that headers may use. */
      readonly variables: readonly string[]
    }
  | { readonly type: "prompt" | "agent"; readonly prompt: string }
  /** A tool of a connected server; texts in `input` may refer to fields of the moment. */
  | { readonly type: "mcp_tool"; readonly server: string; readonly tool: string; readonly input: JsonObject }
  /** Runs inside the client. */
  | { readonly type: "callback"; readonly callbackId: string }
  /** It is required but cannot be parsed, so it always fails. */
  | { readonly type: "broken"; readonly why: string }

export interface ConfiguredHook {
  readonly event: HookEvent
  readonly matcher: string
  readonly matches: Matches
  readonly work: HookWork
  readonly name: string
  readonly source: string
  readonly file: string
  readonly isProject: boolean
  readonly plugin?: HookPlugin
  readonly variables?: HookSource["variables"]
  /** Its position among all hooks; of several changed inputs the first counts. */
  readonly order: number
  readonly timeoutMs: number
  readonly rule?: string
  /** Not waited for. A required hook always is. */
  readonly isAsync: boolean
  /** Not waited for, and wakes the model if it blocks. */
  readonly rewakes: boolean
  /** Shown while it runs. */
  readonly status?: string
  readonly isQuiet: boolean
  readonly once: boolean
  /** If it fails, what it guards does not happen. */
  readonly required: boolean
  /** The same if it is late, though it may fail otherwise. */
  readonly inTime?: true
}

export interface HookConfiguration {
  readonly hooks: readonly ConfiguredHook[]
  /** For the user: what was ignored, where, and why. */
  readonly problems: readonly string[]
}

export interface HookAbilities {
  readonly ruleProblem: (rule: string) => string | undefined
}

/** Programs may build or test something; a question or a request is answered soon or not at all. */
const usualTimeoutsMs: { readonly [type in Exclude<HookWork["type"], "callback">]: number } = {
  command: 600_000,
  http: 60_000,
  prompt: 60_000,
  agent: 60_000,
  mcp_tool: 60_000,
  broken: 60_000,
}
const longestMs = 24 * 60 * 60_000

/** At these somebody waits, or the next one comes soon. */
const shorterMs: { readonly [event in HookEvent]?: number } = {
  PreModelSwitch: 30_000,
  PostModelSwitch: 30_000,
  MessageDisplay: 10_000,
}

/** Strongest source first. `firstOrder`: how many hooks come before them. */
export function readHooks(sources: readonly HookSource[], abilities: HookAbilities, firstOrder = 0): HookConfiguration {
  const hooks: ConfiguredHook[] = []
  const problems: string[] = []
  for (const source of sources)
    for (const [event, groups] of Object.entries(source.hooks)) {
      const complain = (place: string, why: string): void =>
        void problems.push(forReading(`${source.file}: ${place} ${why}`))
      if (!isEvent(event)) {
        complain(`hooks.${event}`, `is not a hook event${didYouMean(event)}`)
        continue
      }
      for (const [i, group] of listOf(groups).entries()) {
        const place = `hooks.${event}[${i}]`
        const read = readGroup(group, event, abilities)
        if (read.problem !== undefined) complain(place, read.problem)
        for (const [j, { hook, problem }] of read.hooks.entries()) {
          if (problem !== undefined) complain(`${place}.hooks[${j}]`, problem)
          const { file, isProject, plugin, variables } = source
          const order = firstOrder + hooks.length
          const brought = { ...optional("plugin", plugin), ...optional("variables", variables) }
          const from = { source: source.source, file, isProject, ...brought }
          if (hook) hooks.push({ ...hook, event, ...read.on, ...from, order })
        }
      }
    }
  return { hooks, problems }
}

type OwnParts = Omit<
  ConfiguredHook,
  "event" | "matcher" | "matches" | "source" | "file" | "isProject" | "plugin" | "variables" | "order"
>

interface Group {
  readonly on: Pick<ConfiguredHook, "matcher" | "matches">
  readonly hooks: readonly ReadHook[]
  readonly problem?: string
}

interface ReadHook {
  readonly hook?: OwnParts
  readonly problem?: string
}

function readGroup(group: JsonValue, event: HookEvent, abilities: HookAbilities): Group {
  const everywhere = { matcher: "", matches: () => true }
  if (!isObject(group)) return { on: everywhere, hooks: [], problem: "must be an object with hooks. It is left out." }
  const { matcher = "", hooks } = group
  if (!Array.isArray(hooks)) return { on: everywhere, hooks: [], problem: "must have a list of hooks. It is left out." }
  const matches = typeof matcher === "string" ? matcherOf(matcher) : failed("it is not a string")
  if (!matches.ok) {
    const why = `has a matcher that is no regular expression (${matches.failure}).`
    // It is unclear which calls it is for, so required hooks apply to all of them.
    const required = listOf(hooks).filter(isRequired)
    const problem = `${why} ${required.length > 0 ? refusesWords : "It is left out."}`
    return { on: everywhere, hooks: required.map((hook) => ({ hook: broken(hook, why) })), problem }
  }
  return {
    on: { matcher: matcher === "*" ? "" : String(matcher), matches: matches.value },
    hooks: listOf(hooks).map((hook): ReadHook => {
      const read = readHook(hook, event, abilities)
      if (read.ok) return { hook: read.value }
      if (!isRequired(hook)) return { problem: `${read.failure} It is left out.` }
      return { hook: broken(hook, read.failure), problem: `${read.failure} ${refusesWords}` }
    }),
  }
}

const refusesWords = "It is required, so nothing that it is about happens until that is fixed."

/** Anything not clearly optional counts as required. */
const isRequired = (hook: JsonValue): hook is JsonObject =>
  isObject(hook) && hook.required !== undefined && hook.required !== false

function broken({ name }: JsonObject, why: string): OwnParts {
  return {
    work: { type: "broken", why },
    name: isFilled(name) ? short(name) : "a hook that cannot be read",
    timeoutMs: usualTimeoutsMs.broken,
    isAsync: false,
    rewakes: false,
    isQuiet: false,
    once: false,
    required: true,
  }
}

function readHook(hook: JsonValue, event: HookEvent, abilities: HookAbilities): Result<OwnParts, string> {
  if (!isObject(hook)) return failed("must be an object with a type.")
  const work = readWork(hook)
  if (!work.ok) return work
  const { timeout, if: rule, name, statusMessage } = hook
  if (timeout !== undefined && !isSeconds(timeout))
    return failed("has a timeout that is no positive number of seconds.")
  for (const flag of ["async", "asyncRewake", "suppressOutput", "once", "required"])
    if (hook[flag] !== undefined && typeof hook[flag] !== "boolean")
      return failed(`has a ${flag} that is neither true nor false.`)
  if (rule !== undefined) {
    if (typeof rule !== "string") return failed("has an if that is no permission rule.")
    if (factsOf(event).matches !== "tool") return failed(`has an if, but ${event} is about no tool.`)
    const problem = abilities.ruleProblem(rule)
    if (problem !== undefined) return failed(`has an if that cannot be followed: ${problem}`)
  }
  return ok({
    work: work.value,
    name: isFilled(name) ? short(name) : isFilled(statusMessage) ? short(statusMessage) : nameOf(work.value),
    timeoutMs:
      timeout === undefined
        ? Math.min(usualTimeoutsMs[work.value.type], shorterMs[event] ?? longestMs)
        : Math.min(timeout * 1000, longestMs),
    ...optional("rule", rule),
    ...optional("status", isFilled(statusMessage) ? short(statusMessage) : undefined),
    isAsync: (hook.async === true || hook.asyncRewake === true) && hook.required !== true,
    rewakes: hook.asyncRewake === true,
    isQuiet: hook.suppressOutput === true,
    once: hook.once === true,
    required: hook.required === true,
    // What it guards would otherwise have happened while it was still thinking.
    ...(event === "PreModelSwitch" && { inTime: true }),
  })
}

type WrittenWork = Exclude<HookWork, { readonly type: "callback" }>

function readWork(hook: JsonObject): Result<WrittenWork, string> {
  const { type } = hook
  switch (type) {
    case "command":
      return readCommand(hook)
    case "http":
      return readHttp(hook)
    case "prompt":
    case "agent":
      if (!isFilled(hook.prompt)) return failed(`has the type ${type} and no prompt.`)
      return ok({ type, prompt: hook.prompt })
    case "mcp_tool":
      return readServerTool(hook)
    default:
      return failed(
        `has the type ${JSON.stringify(type ?? null)}, which is not supported. Use command, http, prompt, agent or mcp_tool.`,
      )
  }
}

function readCommand({ command, args, shell: interpreter = "sh" }: JsonObject): Result<WrittenWork, string> {
  if (!isFilled(command)) return failed("has the type command and no command.")
  if (interpreter !== "sh" && interpreter !== "bash") return failed("has a shell that is neither sh nor bash.")
  if (args === undefined) return ok({ type: "command", command, interpreter })
  if (!isTexts(args)) return failed("has args that are no list of texts.")
  return ok({ type: "command", command, args, interpreter })
}

function readHttp({ url, headers = {}, allowedEnvVars = [] }: JsonObject): Result<WrittenWork, string> {
  if (!isFilled(url) || !/^https?:\/\//i.test(url.trim())) return failed("has the type http and no http address.")
  if (!isObject(headers) || !isTexts(Object.values(headers))) return failed("has headers that are not all texts.")
  if (!isTexts(allowedEnvVars)) return failed("has allowedEnvVars that are no list of names.")
  const texts = Object.fromEntries(Object.entries(headers).map(([header, text]) => [header, String(text)]))
  return ok({ type: "http", url: url.trim(), headers: texts, variables: allowedEnvVars })
}

function readServerTool({ server, tool, input = {} }: JsonObject): Result<WrittenWork, string> {
  if (!isFilled(server) || !isFilled(tool)) return failed("has the type mcp_tool and needs a server and a tool.")
  if (!isObject(input)) return failed("has an input that is not an object.")
  return ok({ type: "mcp_tool", server: server.trim(), tool: tool.trim(), input })
}

function nameOf(work: WrittenWork): string {
  switch (work.type) {
    case "command":
      return short([work.command, ...(work.args ?? [])].join(" "))
    case "http":
      return short(work.url)
    case "prompt":
    case "agent":
      return short(`${work.type}: ${work.prompt}`)
    case "mcp_tool":
      return short(`${work.server}: ${work.tool}`)
    case "broken":
      return short(work.why)
  }
}

function short(text: string): string {
  const line = forReading(text).trim().split("\n", 1)[0] ?? ""
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const isEvent = (name: string): name is HookEvent => hookEvents.some((event) => event === name)
const isFilled = (value: JsonValue | undefined): value is string => typeof value === "string" && value.trim() !== ""
const isTexts = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((one: JsonValue) => typeof one === "string")
const isSeconds = (value: JsonValue): value is number =>
  typeof value === "number" && Number.isFinite(value) && value > 0
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])

function didYouMean(event: string): string {
  const near = nearNames(event, hookEvents, 1)[0]
  return near === undefined ? ". It is left out." : `; did you mean ${near}? It is left out.`
}
