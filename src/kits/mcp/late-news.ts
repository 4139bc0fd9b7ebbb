/** The difference between the available late tools and those the model was told of, and its form in the log. */

import type { Attachment, Guidance } from "#agent/words/kit.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { digestOf } from "./digest.ts"
import { type LateNews, newsWords, serverOf } from "./late-words.ts"

export interface NewsQuestion {
  readonly present: readonly AnyTool[]
  readonly seen: readonly string[]
  readonly digestOf: (tool: AnyTool) => string
  /** The digest that the model was told of; undefined if it does not know the tool, or knows that it is gone. */
  readonly toldOf: (name: string) => string | undefined
  /** Whether the model could use the tool if told of it. */
  readonly isOffered: (tool: AnyTool) => boolean
  readonly isLoaded: (tool: AnyTool) => boolean
  readonly guidance: readonly Guidance[]
  readonly loading: LateNews["loading"]
}

export const newsName = "late_tools"

export function newsOf(question: NewsQuestion): Attachment | undefined {
  const { present, guidance, loading, isLoaded, toldOf } = question
  const offered = present.filter(question.isOffered)
  const arrived = offered.filter(({ name }) => toldOf(name) === undefined)
  // Gone and back unchanged: its definition is still in context.
  const back = arrived.filter(isLoaded)
  const came = arrived.filter((tool) => !back.includes(tool))
  const changed = offered.filter((tool) => {
    const before = toldOf(tool.name)
    return before !== undefined && before !== question.digestOf(tool)
  })
  // Tools of an earlier process may still be connecting: nothing is said of tools never seen in this one.
  const names = new Set(present.map(({ name }) => name))
  const gone = question.seen.filter((name) => !names.has(name) && toldOf(name) !== undefined)
  if (arrived.length + changed.length + gone.length + guidance.length === 0) return undefined
  const isLeft = (server: string): boolean => present.some(({ name }) => serverOf(name) === server)
  const digests = (tools: readonly AnyTool[]): JsonObject =>
    Object.fromEntries(tools.map((tool) => [tool.name, question.digestOf(tool)]))
  return {
    name: newsName,
    text: newsWords({ came, back, changed, gone, guidance, isLeft, loading }),
    data: {
      came: digests(arrived),
      changed: digests(changed),
      gone,
      guidance: Object.fromEntries(guidance.map(({ from, text }) => [from, digestOf(text)])),
    },
  }
}

/** The news as logged: a digest for each announced tool, or none for one that is gone. */
export function readNews({ came, changed, gone, guidance }: JsonObject): {
  readonly tools: readonly (readonly [name: string, digest: string | undefined])[]
  readonly guidance: readonly (readonly [from: string, digest: string])[]
} {
  const lost = Array.isArray(gone) ? gone.map((name) => [String(name), undefined] as const) : []
  return { tools: [...textsIn(came), ...textsIn(changed), ...lost], guidance: textsIn(guidance) }
}

const textsIn = (value: unknown): readonly (readonly [string, string])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, text]) => (typeof text === "string" ? [[name, text] as const] : []))
    : []
