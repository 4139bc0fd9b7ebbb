/** What tests of late tools ask of the requests that were sent, and the calls that they make. */

import { expect } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ScenarioBlock } from "#sim/scenario.ts"
import type { TestSession } from "./open-test-session.ts"
import { use } from "./script.ts"

export const search = (query: string): ScenarioBlock => use("ToolSearch", { query })
export const asks = (tool: string, word: string): ScenarioBlock => use(`mcp__box__${tool}`, { word })

/** What the provider keeps of a request: listed tools, system prompt and messages, without marks. */
const kept = (body: unknown): { readonly beginning: string; readonly messages: readonly string[] } => {
  const { tools, system, messages } = unmarked(body)
  return {
    beginning: JSON.stringify([listOf(tools).filter((tool) => tool.defer_loading !== true), system ?? null]),
    messages: listOf(messages).flatMap(({ role, content }) =>
      listOf(content).map((block) => `${String(role)} ${JSON.stringify(block)}`),
    ),
  }
}

const unmarked = (body: unknown): JsonObject => {
  const plain: unknown = JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  )
  return isObject(plain) ? plain : {}
}

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const bodies = (t: TestSession): readonly JsonObject[] => t.simulator.requests.map(({ body }) => unmarked(body))

export const toolNames = (body: JsonObject | undefined, which: "listed" | "deferred"): readonly string[] =>
  listOf(body?.tools)
    .filter((tool) => (tool.defer_loading === true) === (which === "deferred"))
    .map(({ name }) => String(name))

export const mcpNames = (body: JsonObject | undefined, which: "listed" | "deferred"): readonly string[] =>
  toolNames(body, which).filter((name) => name.startsWith("mcp__"))

export const told = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "attachment" && entry.name === "late_tools" ? [entry.text] : []))

export const systemOf = (body: JsonObject | undefined): string => JSON.stringify(body?.system)

export const resultOf = (t: TestSession, tool: string): (Entry & { kind: "result" }) | undefined =>
  t.results().findLast((result) => result.tool === tool)

/** Each request from this one on begins as the one before, and extends it. */
export function expectKept(t: TestSession, from = 0): void {
  const all = bodies(t).slice(from).map(kept)
  all.forEach(({ beginning, messages }, index) => {
    const before = all[index - 1]
    if (!before) return
    expect(beginning).toBe(before.beginning)
    expect(messages.slice(0, before.messages.length)).toEqual([...before.messages])
  })
}
