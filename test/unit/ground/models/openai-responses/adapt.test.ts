/** A refusal of what an answer can do without costs one request, and the user nothing. Over a real socket. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import { openModels } from "#ground/models/router.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject } from "#lib/json.ts"
import { listIn } from "#sim/request.ts"
import type { Simulator } from "#sim/server.ts"
import { wireFormats } from "../../../../kit/wire-formats.ts"
import { bodyOf } from "../../../../kit/sent.ts"
import { impatientClock } from "../../../../kit/test-loop.ts"
import { open } from "../../../sim/open.ts"
import { requestOf } from "../port.ts"

const says = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] })
/** Of an organization whose keys the simulator does not have. */
const thought: Message = {
  role: "assistant",
  content: [
    {
      type: "thinking",
      thinking: "hm",
      proof: { by: "openai", value: { id: "rs_1", encrypted_content: "sim.other.x", summary: [] } },
    },
    { type: "text", text: "So." },
  ],
}

const kinds = (sim: Simulator, index: number): readonly unknown[] =>
  listIn(bodyOf(sim.requests[index]).input).map((item) => (isObject(item) ? item.type : undefined))

function openAsk(sim: Simulator) {
  const models = openModels([wireFormats.responses.provider(sim.url)], { clock: impatientClock, ids: systemIds })
  return async (more: Partial<Request>): Promise<readonly string[]> => {
    const request = requestOf({ model: wireFormats.responses.model, ...more })
    const events = await Array.fromAsync(models.stream(request, new AbortController().signal))
    return events.map((event) => (event.type === "error" ? event.failure.message : event.type))
  }
}

test("reasoning of another organization is left out, and the same conversation is not refused again", async () => {
  await using sim = await open({ scenario: () => ({ content: "Done." }) })
  const ask = openAsk(sim)
  const messages = [says("?"), thought, says("go on")]
  expect((await ask({ messages })).at(-1)).toBe("message_stop")
  expect((await ask({ messages: [...messages, thought, says("more")] })).at(-1)).toBe("message_stop")
  expect(sim.stats()).toMatchObject({ requests: 3, refusals: 1 })
  expect(kinds(sim, 0)).toEqual(["message", "reasoning", "message", "message"])
  expect(kinds(sim, 1)).toEqual(["message", "message", "message"])
})

test("what the answer needs is not left out: the refusal is told, once", async () => {
  await using sim = await open({ scenario: () => ({ content: "Done." }) })
  const tools = [{ name: "no such name", description: "", input_schema: { type: "object" } }]
  const events = await openAsk(sim)({ tools })
  expect(events).toHaveLength(1)
  expect(events[0]).toContain("OpenAI refused the request (400)")
  expect(sim.stats()).toMatchObject({ requests: 1, refusals: 1 })
})
