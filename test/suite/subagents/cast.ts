/** A scenario for several agents at once: each is known by a word of its prompt and has replies of its own, in order. */

import type { Entry } from "#agent/words/entry.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioBlock, ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import type { SimRequest } from "#sim/request.ts"
import type { TestSession } from "../../kit/open-test-session.ts"
import { says, use } from "../../kit/script.ts"

/** What each agent says, by a word that stands in its prompt; `main` is whoever has none of them. */
export type Cast = { readonly [word: string]: readonly (ScenarioReply | ((request: SimRequest) => ScenarioReply))[] }

export const cast =
  (roles: Cast): ScenarioFunction =>
  (request, { turn }) => {
    const role = roleOf(request, roles)
    const reply = roles[role]?.[turn]
    return (typeof reply === "function" ? reply(request) : reply) ?? says(`${role} has nothing left to say.`)
  }

function roleOf({ messages }: SimRequest, roles: Cast): string {
  const content = messages[0]?.content ?? ""
  const begin =
    typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join("\n")
  const words = Object.keys(roles).filter((word) => word !== "main" && new RegExp(`\\b${word}\\b`).test(begin))
  // What comes with the prompt may name others.
  return words.find((word) => begin.includes(`${word}: do it.`)) ?? words[0] ?? "main"
}

/** The call that starts an agent; its prompt begins with the word that it is known by. */
export const task = (word: string, more: JsonObject = {}): ScenarioBlock =>
  use("Task", { description: `the ${word} work`, prompt: `${word}: do it.`, subagent_type: "general-purpose", ...more })

export const children = (t: TestSession): readonly (Entry & { kind: "child" })[] =>
  t.entries().filter((entry) => entry.kind === "child")

/** What the calls of a tool came to, in their order. */
export const resultsOf = (t: TestSession, tool: string): readonly string[] =>
  t.results().flatMap((entry) => (entry.tool === tool ? [String(entry.content)] : []))

/** The requests of one agent, as they came over the wire, in the terms of Messages. */
export const requestsOf = (t: TestSession, word: string): readonly JsonObject[] =>
  t.simulator.requests.flatMap(({ request }) =>
    request && JSON.stringify(request.messages[0]).includes(word) ? [request.body] : [],
  )

/** The entries of the log of the agent that was started last with this word. */
export async function logOf(t: TestSession, word: string): Promise<readonly Entry[]> {
  const found = children(t).findLast(({ description }) => description.includes(word))
  if (!found) throw new Error(`no agent was started for ${word}`)
  return (await t.ask({ type: "agent", agentId: found.agentId })) ?? []
}

/** The tools that the first request of an agent lists. */
export function toolsOf(t: TestSession, word: string): readonly string[] {
  const tools = requestsOf(t, word)[0]?.tools
  return Array.isArray(tools) ? tools.map((tool: { readonly name: string }) => tool.name) : []
}
