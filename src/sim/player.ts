/** Decides what to say next: a list of replies, a function, or the demo. */

import type { JsonObject, JsonValue } from "#lib/json.ts"
import { isObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { says, type PlannedBlock, type Reply, type Timing } from "./reply.ts"
import { isList, lastToolResult, lastUserText, type SimRequest } from "./request.ts"
import type { Scenario, ScenarioFunction } from "./scenario.ts"
import type { ListedReply, Match } from "./scenario-schema.ts"

export interface ChosenReply {
  readonly reply: Reply
  /** The scenario had nothing left to say. */
  readonly over: boolean
  /** Marks the reply as sent; otherwise the next request gets the same one. */
  readonly commit: () => void
}

export type Chosen = Result<ChosenReply, string>

export interface Player {
  /** A promise only for a scenario function, so that concurrent requests cannot get the same reply. */
  readonly choose: (request: SimRequest) => Chosen | Promise<Chosen>
  readonly reset: () => void
}

export async function openPlayer(
  scenario: Scenario | undefined,
  demoTiming: Timing | undefined,
): Promise<Result<Player, string>> {
  if (scenario === undefined) return ok(await openDemoPlayer(demoTiming))
  const { parseScenario, parseReply } = await import("./scenario-schema.ts")
  if (typeof scenario === "function") return ok(openFunctionPlayer(scenario, parseReply))
  const parsed = parseScenario(scenario)
  return parsed.ok ? ok(openListPlayer(parsed.value)) : parsed
}

async function openDemoPlayer(timing: Timing | undefined): Promise<Player> {
  const { play } = await import("./demo/play.ts")
  return {
    choose(request) {
      const reply = play(request)
      return ok({ reply: timing ? { ...reply, timing } : reply, over: false, commit: () => {} })
    },
    reset: () => {},
  }
}

function openFunctionPlayer(scenario: ScenarioFunction, parse: (value: unknown) => Result<Reply, string>): Player {
  let requests = 0
  return {
    async choose(request) {
      const turn = request.messages.filter(({ role }) => role === "assistant").length
      try {
        const parsed = parse(await scenario(request, { turn, request: requests++ }))
        return parsed.ok ? ok({ reply: parsed.value, over: false, commit: () => {} }) : parsed
      } catch (error) {
        return failed(`The scenario function failed: ${String(error)}`)
      }
    },
    reset() {
      requests = 0
    },
  }
}

function openListPlayer(replies: readonly ListedReply[]): Player {
  let timesPlayed = replies.map(() => 0)
  let captured: { readonly [name: string]: string } = {}

  return {
    choose(request) {
      const left = replies
        .map((listed, index) => ({ listed, index }))
        .filter(({ listed, index }) => {
          return (timesPlayed[index] ?? 0) < listed.times
        })
      const chosen =
        left.find(({ listed }) => listed.when !== undefined && fits(listed.when, request)) ??
        left.find(({ listed }) => listed.when === undefined)
      if (chosen === undefined)
        return ok({
          reply: says("The scenario is over: no reply is left for this request."),
          over: true,
          commit: () => {},
        })
      const { listed, index } = chosen
      const captures = { ...captured, ...capture(listed, request) }
      const filled = fill(listed.reply, captures)
      if (!filled.ok) return failed(`replies.${index}: ${filled.failure}`)
      return ok({
        reply: filled.value,
        over: false,
        commit() {
          timesPlayed = timesPlayed.with(index, (timesPlayed[index] ?? 0) + 1)
          captured = captures
        },
      })
    },
    reset() {
      timesPlayed = replies.map(() => 0)
      captured = {}
    },
  }
}

function fits(when: NonNullable<ListedReply["when"]>, request: SimRequest): boolean {
  const { lastUserText: text, lastToolResult: result, system, model, tool } = when
  const toolResult = lastToolResult(request)
  return (
    (text === undefined || contains(lastUserText(request), text)) &&
    (result === undefined || (toolResult !== undefined && contains(toolResult, result))) &&
    (system === undefined || contains(request.system, system)) &&
    (model === undefined || contains(request.model, model)) &&
    (tool === undefined || request.tools.some((name) => (typeof tool === "string" ? name === tool : tool.test(name))))
  )
}

const contains = (text: string, match: Match): boolean =>
  typeof match === "string" ? text.includes(match) : match.test(text)

function capture({ capture: patterns }: ListedReply, request: SimRequest): { readonly [name: string]: string } {
  const text = lastToolResult(request) ?? ""
  return Object.fromEntries(
    patterns.flatMap(([name, pattern]) => {
      const found = pattern.exec(text)
      return found === null ? [] : [[name, found[1] ?? found[0]]]
    }),
  )
}

/** Fills captures into a reply; a name that was never captured is an error in the scenario. */
function fill(reply: Reply, captures: { readonly [name: string]: string }): Result<Reply, string> {
  const missing = new Set<string>()
  const inText = (text: string): string =>
    text.replaceAll(/\$\{capture\.(\w+)\}/g, (_, name: string) => {
      if (captures[name] === undefined) missing.add(name)
      return captures[name] ?? ""
    })
  const inValue = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return inText(value)
    if (isList(value)) return value.map(inValue)
    return isObject(value) ? inObject(value) : value
  }
  function inObject(value: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inValue(inner)]))
  }
  const inBlock = (block: PlannedBlock): PlannedBlock => {
    switch (block.type) {
      case "text":
        return { ...block, text: inText(block.text) }
      case "thinking":
      case "search":
        return block
      case "tool_use":
        return { ...block, input: inObject(block.input) }
    }
  }
  const filled = { ...reply, content: reply.content.map(inBlock) }
  if (missing.size === 0) return ok(filled)
  return failed(`nothing was captured under ${[...missing].join(", ")}`)
}
