/** What the simulated model says, with everything decided, before it is written in a wire format. */

import type { StopReason, Usage } from "#agent/words/model.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { estimateTokens } from "#lib/tokens.ts"
import type { CacheUse } from "./cache.ts"
import { stopReasonOf, type PlannedBlock, type PlannedPage, type Reply } from "./reply.ts"
import { searchContent } from "./search.ts"
import { signThinking } from "./signature.ts"

/** A reply with everything decided: ids, signatures and usage. */
export interface Spoken {
  readonly id: string
  readonly model: string
  readonly content: readonly SpokenBlock[]
  readonly stopReason: StopReason
  readonly usage: Usage
  readonly written1h: number
}

export type SpokenBlock =
  | {
      readonly type: "text"
      readonly text: string
      readonly inOneDelta?: true
      readonly cites?: readonly PlannedPage[]
    }
  | { readonly type: "server_tool_use"; readonly id: string; readonly name: string; readonly input: JsonObject }
  | { readonly type: "web_search_tool_result"; readonly tool_use_id: string; readonly content: JsonValue }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | {
      readonly type: "tool_use"
      readonly id: string
      readonly name: string
      readonly input: JsonObject
      readonly cutJson?: string
    }

export interface StreamPiece {
  readonly event: string
  readonly bytes: string
  /** For timing. */
  readonly tokens: number
  readonly block?: SpokenBlock["type"]
}

/** Decides what a planned reply left open. */
export function speak(reply: Reply, model: string, cache: CacheUse, ids: Ids): Spoken {
  const content = reply.content.flatMap((block) => completeBlock(block, ids))
  const searches = reply.content.filter((block) => block.type === "search" && block.error === undefined).length
  return {
    id: makeId("msg", ids),
    model,
    content,
    stopReason: stopReasonOf(reply),
    usage: {
      input_tokens: cache.input,
      cache_creation_input_tokens: cache.written,
      cache_read_input_tokens: cache.read,
      output_tokens: Math.max(
        1,
        content.reduce((sum, block) => sum + estimateTokens(wordsOf(block)), 0),
      ),
      ...(searches > 0 && { web_search_requests: searches }),
      ...reply.usage,
    },
    written1h: cache.written1h,
  }
}

/** Ids in the style of the API: a kind, then letters and digits. */
export const makeId = (kind: string, ids: Ids): string => `${kind}_sim${ids.uuid().replaceAll("-", "")}`

function completeBlock(block: PlannedBlock, ids: Ids): readonly SpokenBlock[] {
  switch (block.type) {
    case "text":
      return [block]
    case "thinking":
      return [{ ...block, signature: block.signature ?? signThinking(block.thinking) }]
    case "tool_use":
      return [{ ...block, id: block.id ?? makeId("toolu", ids) }]
    case "search": {
      const id = makeId("srvtoolu", ids)
      return [
        { type: "server_tool_use", id, name: "web_search", input: { query: block.query } },
        { type: "web_search_tool_result", tool_use_id: id, content: searchContent(block.pages, block.error) },
      ]
    }
  }
}

/** What the model itself writes in a block: its output tokens are counted from this. */
function wordsOf(block: SpokenBlock): string {
  switch (block.type) {
    case "text":
      return block.text
    case "thinking":
      return block.thinking
    case "tool_use":
      return block.name + (block.cutJson ?? JSON.stringify(block.input))
    case "server_tool_use":
      return block.name + JSON.stringify(block.input)
    case "web_search_tool_result":
      return ""
  }
}

/** Word by word, long words in pieces; joined again it is the same text. */
export const words = (text: string): readonly string[] => text.match(/\s*\S{1,20}|\s+$/gu) ?? []

export const slices = (json: string): readonly string[] => json.match(/.{1,20}/gsu) ?? []

export const tokensIn = (part: JsonValue): number =>
  typeof part === "string" ? Math.max(1, Math.round(part.length / 4)) : 0
