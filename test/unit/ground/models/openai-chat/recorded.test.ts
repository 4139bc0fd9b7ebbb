/** Streams in the shapes of common servers, with their oddities: one call or one answer each, understood the same. */

import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openReply } from "#agent/words/reply.ts"
import { openAdmittedIds } from "#ground/models/admitted-ids.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import type { DecodeStatus } from "#ground/models/format.ts"
import { openChatDecoder } from "#ground/models/openai-chat/decode.ts"
import { eventsIn } from "#ground/models/server-sent-events.ts"
import { seededIds } from "#lib/ids.ts"
import { requestOf } from "../port.ts"

const folder = join(import.meta.dir, "recorded")
const tool = { name: "Look", description: "Looks.", input_schema: { type: "object" } }

async function play(name: string, cut?: number) {
  const ids = seededIds(1)
  const parts = { by: "local", toolIds: openAdmittedIds(ids, "toolu"), messageIds: openAdmittedIds(ids, "msg") }
  const decoder = openChatDecoder(parts, requestOf({ tools: [tool] }))
  const bytes = readFileSync(join(folder, `${name}.sse`)).subarray(0, cut)
  const out: AnswerEvent[] = []
  let taken: DecodeStatus = { kind: "more" }
  for await (const events of eventsIn(new Response(bytes).body as ReadableStream<Uint8Array>))
    for (const { event, data } of events) if (taken.kind === "more") taken = decoder.decodeEvent(event, data, out)
  if (taken.kind === "more") taken = decoder.ended?.(out) ?? taken
  const reply = openReply()
  const blocks = out.flatMap((event) => reply.onEvent(event) ?? [])
  return {
    taken,
    said: blocks.map(({ block, unreadable }) => {
      if (unreadable !== undefined) return unreadable
      if (block.type === "text") return block.text
      if (block.type === "thinking") return `(${block.thinking})`
      return block.type === "tool_use" ? `${block.name} ${JSON.stringify(block.input)}` : block.type
    }),
    stopReason: reply.stopReason(),
    usage: reply.usage(),
  }
}

const call = 'Look {"id":1}'
const meant: { readonly [name: string]: { readonly said: readonly string[]; readonly stopReason: string } } = {
  "llamacpp-call": { said: ["(I look.)", call], stopReason: "tool_use" },
  "lmstudio-call": { said: [call], stopReason: "tool_use" },
  "lmstudio-call-as-text": { said: [call], stopReason: "tool_use" },
  "ollama-call": { said: [call], stopReason: "tool_use" },
  "ollama-call-as-text": { said: [call], stopReason: "tool_use" },
  "ollama-thinking": { said: ["(I think.)", "So."], stopReason: "end_turn" },
  "ollama-two-calls": { said: [call, 'Look {"id":2}'], stopReason: "tool_use" },
  "openrouter-call": { said: ["(I look.)", call], stopReason: "tool_use" },
  "vllm-call": { said: ["(I look.)", call], stopReason: "tool_use" },
  "vllm-without-a-parser": { said: ["I look.\n", call], stopReason: "tool_use" },
  "vllm-without-a-reason": { said: ["So."], stopReason: "end_turn" },
}

const refused: { readonly [name: string]: { readonly message: string; readonly status?: number } } = {
  "llamacpp-error": { message: "Failed to parse input at pos 12", status: 500 },
  "lmstudio-error": { message: "The model has crashed without additional information." },
  "openrouter-error": { message: "Provider disconnected", status: 502 },
  "vllm-error": { message: "This model's maximum context length is 8192 tokens.", status: 400 },
}

describe("recorded shapes", () => {
  for (const [name, expected] of Object.entries(meant))
    test(name, async () => {
      const { taken, usage, ...heard } = await play(name)
      expect(taken).toEqual({ kind: "end" })
      expect(heard).toEqual({ ...expected, said: [...expected.said] })
      // Also where the server does not count.
      expect(usage.input_tokens + usage.cache_read_input_tokens).toBeGreaterThan(0)
    })

  for (const [name, expected] of Object.entries(refused))
    test(name, async () => {
      expect((await play(name)).taken).toMatchObject({ kind: "refused", ...expected })
    })

  test("every file is one of them", () => {
    const names = readdirSync(folder).map((file) => file.replace(/\.sse$/, ""))
    expect(names.toSorted()).toEqual([...Object.keys(meant), ...Object.keys(refused)].toSorted())
  })

  test("cut at any byte, none is taken for another answer that is whole", async () => {
    for (const [name, { said }] of Object.entries(meant)) {
      const size = readFileSync(join(folder, `${name}.sse`)).length
      for (let cut = 1; cut < size; cut += 7) {
        const heard = await play(name, cut)
        if (heard.taken.kind === "end") expect(heard.said).toEqual([...said])
      }
    }
  })
})
