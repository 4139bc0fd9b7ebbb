/** A server's tool as one of ours: bounded descriptions, hints as a footprint, answers as outcomes. */

import type { FileDiff } from "#agent/words/display.ts"
import { type Footprint, touchesNothing } from "#agent/words/footprint.ts"
import type { ResultContent } from "#agent/words/message.ts"
import type { Reason } from "#agent/words/permission.ts"
import { serverText } from "#agent/words/server-text.ts"
import { type AnyTool, answered, type CallContext, type Outcome, refused } from "#agent/words/tool.ts"
import type {
  CallOptions,
  CallRequest,
  McpCallResult,
  McpFailure,
  McpProgress,
  McpToolDefinition,
} from "#ground/mcp/connection.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { cutText, plainText } from "#lib/plain-text.ts"
import type { Result } from "#lib/result.ts"
import { contentOf } from "./content.ts"
import { type SaveFile, withSavedFiles } from "./saved-files.ts"
import { described } from "./definition.ts"
import type { McpLimits } from "./ports.ts"
import { acceptable } from "./schema.ts"

export interface ToolParts {
  readonly server: string
  /** Who configured the server. */
  readonly source: string
  readonly isReader: boolean
  readonly name: string
  readonly definition: McpToolDefinition
  readonly call: (request: CallRequest, options: CallOptions) => Promise<Result<McpCallResult, McpFailure>>
  readonly save?: SaveFile | undefined
  readonly changed: () => string | undefined
  readonly change: () => Promise<FileDiff | undefined>
  readonly allowed: (reason: Reason) => void
  readonly limits: McpLimits
  /** The longest a whole call may take; when absent, only silence is limited. */
  readonly callMs?: number
  readonly listed?: boolean
  readonly clock: Clock
}

const charactersPerToken = 4
const longestTitle = 80
const longestProgress = 200
const progressPauseMs = 100

export function mcpTool(parts: ToolParts): AnyTool {
  const {
    server,
    source,
    isReader,
    name,
    definition,
    call,
    save,
    changed,
    change,
    allowed,
    limits,
    callMs,
    listed,
    clock,
  } = parts
  const { schema, restore } = acceptable(definition.inputSchema)
  const about = described(definition)
  const footprint = footprintOf(server, isReader, definition)
  const risks = risksOf(server, definition)

  async function run(input: JsonObject, { callId, signal, progress, traceparent }: CallContext): Promise<Outcome> {
    const started = clock.now()
    let totalBytes = 0
    let toldAt = Number.NEGATIVE_INFINITY
    const result = await call(
      { name: definition.name, input: restore(input), callId, ...optional("traceparent", traceparent) },
      {
        signal,
        ...(callMs === undefined ? { timeoutMs: limits.callMs } : { timeoutMs: callMs, counts: "whole" as const }),
        onProgress: (step) => {
          const now = clock.now()
          // Some servers report every byte; nobody could read that.
          if (now - toldAt < progressPauseMs) return
          toldAt = now
          const output = `${progressWords(step)}\n`
          totalBytes += output.length
          progress({ output, elapsedMs: now - started, totalBytes })
        },
      },
    )
    if (!result.ok) return refused(failureWords(server, definition.name, result.failure))
    const { content, structuredContent, isError } = result.value
    const shown = contentOf(await withSavedFiles(content, callId, save), structuredContent)
    const data = optional("data", isObject(structuredContent) ? structuredContent : undefined)
    return isError ? refused(textOnly(shown), data) : answered(shown, data)
  }

  return {
    name,
    server: { name: server, source },
    ...(about === undefined
      ? { description: `${oneLine(definition.name, longestTitle)}, a tool of the MCP server ${server}.` }
      : { description: serverText(server, about), about }),
    ...optional("searchHint", definition.searchHint),
    ...optional("listed", listed),
    schema,
    parse: (input) => ({ ok: true, value: input }),
    title: () => `${server}: ${oneLine(definition.title ?? definition.name, longestTitle)}`,
    footprint: () => footprint,
    ...(risks.length > 0 && { risks: () => risks }),
    changed,
    change,
    allowed,
    run,
    maxResultChars: limits.outputTokens * charactersPerToken,
  }
}

/** Providers accept only text as an error. */
function textOnly(content: ResultContent): string {
  if (typeof content === "string") return content
  return content
    .map((block) => (block.type === "text" ? block.text : "[An image is left out of this error.]"))
    .join("\n")
}

/**
 * Only the server knows what its tool does. A read-only hint lets it run in parallel, and no more; only the user can mark a whole server as read-only,
 * and then a hint to the contrary still counts.
 */
function footprintOf(server: string, isReader: boolean, { annotations = {} }: McpToolDefinition): Footprint {
  const { readOnlyHint, destructiveHint } = annotations
  const saysItReads = readOnlyHint === true && destructiveHint !== true
  const saysItChanges = readOnlyHint === false || destructiveHint === true
  return {
    ...touchesNothing(),
    // It always reaches its server, so that no tool of a server counts as harmless.
    reaches: [`mcp://${encodeURIComponent(server)}/`],
    ...(saysItReads && { beside: true }),
    effect: isReader && !saysItChanges ? "reads" : "unknown",
  }
}

function risksOf(server: string, { annotations }: McpToolDefinition): readonly string[] {
  return [
    ...(annotations?.destructiveHint === true
      ? [`${server} says that this may be destructive, and cannot be undone`]
      : []),
    ...(annotations?.openWorldHint === true ? [`${server} says that this reaches other systems than its own`] : []),
  ]
}

/** Keeps a server's text on one line beside ours. */
function oneLine(text: string, most: number): string {
  const line = plainText(text.slice(0, most * 4))
    .replace(/\s+/g, " ")
    .trim()
  return cutText(line, most)
}

const progressWords = ({ progress, total, message }: McpProgress): string =>
  [
    ...(progress === undefined ? [] : [total === undefined ? `${progress}` : `${progress}/${total}`]),
    ...(message ? [oneLine(message, longestProgress)] : []),
  ].join(" ")

function failureWords(server: string, tool: string, { kind, message }: McpFailure): string {
  switch (kind) {
    case "aborted":
      return `Interrupted. ${server} was told to stop ${tool}; what it had done by then is not known.`
    case "timeout":
      return `${message} The call of ${tool} was given up; what the server had done by then is not known.`
    case "closed":
      return `${message} What ${tool} had done by then is not known. The server is being reached again; look before you call it once more.`
    case "needs_login":
      return `${message} Ask the user to log in: codewright mcp login ${server}`
    case "refused":
    case "other":
      return `${tool} failed. ${message}`
  }
}
