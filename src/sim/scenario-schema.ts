/** Validates scenarios: what the author wrote becomes replies, or sentences that name the invalid field. */

import { z } from "zod"
import type { JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { faultNames, type Fault } from "./faults.ts"
import type { Reply } from "./reply.ts"

/** A validated reply of a list: what to say, when, and how often. */
export interface ListedReply {
  readonly reply: Reply
  readonly when?: { readonly [field in "lastUserText" | "lastToolResult" | "system" | "model" | "tool"]?: Match }
  readonly times: number
  readonly capture: readonly (readonly [name: string, pattern: RegExp])[]
}

export type Match = RegExp | string

export function parseScenario(value: unknown): Result<readonly ListedReply[], string> {
  return explain(scenarioSchema.safeParse(value), (scenario) => scenario.replies)
}

/** As returned by a scenario function. */
export function parseReply(value: unknown): Result<Reply, string> {
  return explain(replySchema.safeParse(value), (listed) => listed.reply)
}

const patternText = /^\/(.+)\/([a-z]*)$/s

const match = z.union([z.string(), z.instanceof(RegExp)]).transform((value, context): Match => {
  const written = typeof value === "string" ? patternText.exec(value) : null
  return written === null ? value : toPattern(written[1] ?? "", written[2] ?? "", context)
})

const pattern = z.union([z.string(), z.instanceof(RegExp)]).transform((value, context): RegExp => {
  if (typeof value !== "string") return value
  const written = patternText.exec(value)
  return toPattern(written?.[1] ?? value, written?.[2] ?? "", context)
})

function toPattern(source: string, flags: string, context: z.core.$RefinementCtx<unknown>): RegExp {
  try {
    // Without state from one test to the next.
    return new RegExp(source, flags.replaceAll(/[gy]/g, ""))
  } catch {
    context.addIssue({ code: "custom", message: `/${source}/${flags} is not a valid pattern` })
    return /(?!)/
  }
}

const json: z.ZodType<JsonValue> = z.json()
const count = z.int().min(0)

const fault = z.union([
  z.enum(faultNames).transform((name): Fault => ({ name })),
  z.strictObject({
    name: z.enum(faultNames),
    times: z.int().positive().exactOptional(),
    retryAfterSeconds: z.number().min(0).exactOptional(),
    afterEvents: count.exactOptional(),
    afterBytes: count.exactOptional(),
    everyMs: z.number().min(0).exactOptional(),
    bytes: count.exactOptional(),
  }),
])

const page = z.strictObject({ title: z.string(), url: z.string(), page_age: z.string().exactOptional() })

const block = z.union([
  z.string().transform((text) => ({ type: "text" as const, text })),
  z
    .strictObject({ text: z.string(), cites: z.array(page).exactOptional() })
    .transform((said) => ({ type: "text" as const, ...said })),
  z
    .strictObject({ search: z.string(), results: z.array(page).default([]), error: z.string().exactOptional() })
    .transform(({ search, results, ...rest }) => ({ type: "search" as const, query: search, pages: results, ...rest })),
  z
    .strictObject({ thinking: z.string(), signature: z.string().exactOptional() })
    .transform((thought) => ({ type: "thinking" as const, ...thought })),
  z
    .strictObject({
      tool: z.string(),
      input: z.record(z.string(), json).default({}),
      id: z.string().exactOptional(),
    })
    .transform(({ tool, ...rest }) => ({ type: "tool_use" as const, name: tool, ...rest })),
])

const replySchema = z
  .strictObject({
    when: z
      .strictObject({
        lastUserText: match.exactOptional(),
        lastToolResult: match.exactOptional(),
        system: match.exactOptional(),
        model: match.exactOptional(),
        tool: match.exactOptional(),
      })
      .exactOptional(),
    times: z.union([z.int().positive(), z.literal("always")]).default(1),
    capture: z.record(z.string(), pattern).default({}),
    content: z.union([z.string().transform((text) => [{ type: "text" as const, text }]), z.array(block)]).default([]),
    stopReason: z.string().exactOptional(),
    usage: z
      .strictObject({
        input_tokens: count.exactOptional(),
        output_tokens: count.exactOptional(),
        cache_creation_input_tokens: count.exactOptional(),
        cache_read_input_tokens: count.exactOptional(),
      })
      .exactOptional(),
    timing: z
      .strictObject({
        ttftMs: z.number().min(0).exactOptional(),
        tokensPerSecond: z.number().positive().exactOptional(),
        pauses: z.array(z.strictObject({ afterTokens: count, ms: z.number().min(0) })).exactOptional(),
      })
      .exactOptional(),
    fault: fault.exactOptional(),
  })
  .transform(({ when, times, capture, ...reply }): ListedReply => ({
    reply,
    ...(when && { when }),
    times: times === "always" ? Number.POSITIVE_INFINITY : times,
    capture: Object.entries(capture),
  }))

const scenarioSchema = z.strictObject({ name: z.string().optional(), replies: z.array(replySchema) })

const knownFields: readonly string[] = (
  "name replies when times capture content stopReason usage timing fault lastUserText lastToolResult system model tool " +
  "text cites search results error title url page_age thinking signature input id ttftMs tokensPerSecond pauses afterTokens ms retryAfterSeconds afterEvents afterBytes everyMs " +
  "bytes input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens"
).split(" ")

function explain<T, U>(parsed: z.ZodSafeParseResult<T>, convert: (value: T) => U): Result<U, string> {
  if (parsed.success) return ok(convert(parsed.data))
  return failed(parsed.error.issues.flatMap((issue) => sentences(issue, [])).join(" "))
}

function sentences(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly string[] {
  const path = [...above, ...issue.path]
  // Of several ways to write a thing, the one that fits best is the one the author meant.
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const meant = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0] ?? []
    if (depth(meant) > 0) return meant.flatMap((inner) => sentences(inner, path))
  }
  const place = path.length === 0 ? "the scenario" : path.map(String).join(".")
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const near = nearNames(key, knownFields, 1)[0]
      return `${place}: unknown field ${key}${near === undefined || near === key ? "" : `; did you mean ${near}?`}.`
    })
  return [`${place}: ${issue.message}.`]
}

/** How far a schema alternative got before it failed; an unknown field beside known ones counts as far. */
function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => (issue.code === "unrecognized_keys" ? 1 : issue.path.length)))
}
