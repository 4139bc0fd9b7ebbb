/** The difference between the late tools that are there and those the model was told of, and how the log keeps it. */

import type { Attachment, Guidance } from "#agent/words/kit.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { digestOf } from "./digest.ts"
import { type LateNews, newsWords, serverOf } from "./late-words.ts"

export interface NewsQuestion {
  readonly present: readonly AnyTool[]
  /** The names of all that were there in this process. */
  readonly seen: readonly string[]
  readonly digestOf: (tool: AnyTool) => string
  /** The digest by which the model knows a tool; undefined when it does not, or knows that it is gone. */
  readonly toldOf: (name: string) => string | undefined
  /** Whether the model could get at the tool if it were told of it. */
  readonly isOffered: (tool: AnyTool) => boolean
  /** Whether its definition, as it is now, is before the model. */
  readonly isLoaded: (tool: AnyTool) => boolean
  /** What servers say about their tools and the model was not told. */
  readonly guidance: readonly Guidance[]
  readonly loading: LateNews["loading"]
}

export const newsName = "late_tools"

export function newsOf(question: NewsQuestion): Attachment | undefined {
  const { present, guidance, loading, isLoaded, toldOf } = question
  const offered = present.filter(question.isOffered)
  const arrived = offered.filter(({ name }) => toldOf(name) === undefined)
  // What was gone and is what it was: its definition is before the model still.
  const back = arrived.filter(isLoaded)
  const came = arrived.filter((tool) => !back.includes(tool))
  const changed = offered.filter((tool) => {
    const before = toldOf(tool.name)
    return before !== undefined && before !== question.digestOf(tool)
  })
  // What an earlier process had may only be on its way: nothing is said of what was never there in this one.
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

/** The news as the log has it: a digest for each tool that was announced, or none for one that was gone. */
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
