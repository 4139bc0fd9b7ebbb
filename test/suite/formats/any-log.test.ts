/** Random logs of one provider, or of two in turn, are valid requests in every wire format, as the strict simulator judges. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import type { Entry } from "#agent/words/entry.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import { type Models, openModels } from "#ground/models/router.ts"
import { systemIds } from "#lib/ids.ts"
import { commonFaults } from "#sim/faults.ts"
import type { ScenarioBlock, ScenarioReply } from "#sim/scenario.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import { picture } from "../../kit/picture.ts"
import { proofsIn } from "../../kit/proofs.ts"
import { runs } from "../../kit/runs.ts"
import { impatientClock, runLoop } from "../../kit/test-loop.ts"
import { type WireFormat, wireFormats } from "../../kit/wire-formats.ts"

interface Row {
  readonly format: WireFormat
  readonly provider: string
  readonly simulator: Simulator
  readonly models: Models
  replies: ScenarioReply[]
}

async function openRow(format: WireFormat): Promise<Row> {
  const row: { replies: ScenarioReply[] } = { replies: [] }
  const opened = await openSimulator({ scenario: () => row.replies.shift() ?? { content: "Done." } })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  const provider = format.provider(simulator.url)
  const models = openModels([provider], { clock: impatientClock, ids: systemIds })
  return Object.assign(row, { format, provider: provider.name, simulator, models })
}

let rows: readonly Row[] = []
beforeAll(async () => {
  rows = await Promise.all(Object.values<WireFormat>(wireFormats).map(openRow))
})
afterAll(async () => {
  for (const { models, simulator } of rows) {
    models.close()
    await simulator.close()
  }
})

/** Well-formed, as models write: what is not is changed on its way back, which a signature of Gemini does not survive. */
const oddText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30, unit: "binary" }).map((text) => text.toWellFormed()),
  fc.constantFrom(" ", "\n\n", "<think>a</think>", "ж\u0000", "[TOOL_CALLS]", '{"name":"Look","arguments":{}}'),
)
const fate = fc.constantFrom("ok", "ok", "picture", "fail", "throw", "garbage")
/** Ids as other makers write them: too long, with odd letters, or the same each time. */
const callId = fc.constantFrom(undefined, "call_1", "0", `call_${"x".repeat(90)}`, "functions.Look:0")
const call: fc.Arbitrary<ScenarioBlock> = fc
  .record({
    tool: fc.constantFrom("Look", "Act", "Loook"),
    input: fc.oneof(fc.record({ id: oddText, fate }), fc.constant({}), fc.constant({ id: 7 })),
    id: callId,
  })
  .map(({ id, ...rest }) => ({ ...rest, ...(id !== undefined && { id }) }))
const block: fc.Arbitrary<ScenarioBlock> = fc.oneof(
  oddText.map((text) => ({ text })),
  oddText.map((text) => ({ thinking: `SECRET-THOUGHT ${text}` })),
  call,
  call,
)
const reply: fc.Arbitrary<ScenarioReply> = fc.record(
  {
    content: fc.array(block, { minLength: 1, maxLength: 5 }),
    fault: fc.constantFrom(...commonFaults.filter((name) => name !== "slow_drip")),
  },
  { requiredKeys: ["content"] },
)
const image: PromptBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: picture } }
const prompt: fc.Arbitrary<readonly PromptBlock[]> = fc
  .tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.boolean())
  .map(([text, seen]) => [{ type: "text", text: `p ${text}\ud800` }, ...(seen ? [image] : [])])
const turn = fc.record(
  {
    maker: fc.nat(),
    prompt,
    replies: fc.array(reply, { minLength: 1, maxLength: 4 }),
    abortAfter: fc.integer({ min: 2, max: 15 }),
  },
  { requiredKeys: ["maker", "prompt", "replies"] },
)

interface Asked {
  readonly prompt: readonly PromptBlock[]
  readonly replies: readonly ScenarioReply[]
  readonly abortAfter?: number
}

/** No two makers think the same, so that one thought is not taken for another's. */
const thoughtBy =
  (maker: string) =>
  (said: ScenarioBlock): ScenarioBlock =>
    typeof said === "object" && "thinking" in said ? { ...said, thinking: `${maker} ${said.thinking}` } : said

async function ask(row: Row, before: readonly Entry[], { prompt: said, replies, abortAfter }: Asked) {
  row.replies = replies.map((each) => ({ ...each, content: [each.content ?? []].flat().map(thoughtBy(row.provider)) }))
  return runLoop({
    model: row.models,
    modelName: row.format.model,
    provider: row.provider,
    prompt: said,
    before,
    concurrency: 4,
    maxTurns: 6,
    ...(abortAfter !== undefined && { abortAfter: before.length + abortAfter }),
  })
}

/** What the model was refused, and what of others it was sent that is only for them. */
function complaintsOf({ simulator, format, provider }: Row, entries: readonly Entry[]): readonly string[] {
  const refused = simulator.requests.flatMap(({ answered }) =>
    answered.kind === "refusal" ? [`${format.name} refused: ${answered.message}`] : [],
  )
  const thoughts = entries.flatMap((entry) =>
    entry.kind === "reply" && entry.block.type === "thinking" ? [entry.block] : [],
  )
  const own = thoughts.filter(({ proof }) => proof?.by === provider).map(({ thinking }) => thinking)
  const foreign = thoughts.filter(({ proof }) => proof && proof.by !== provider).map(({ thinking }) => thinking)
  const ownProofs = new Set(proofsIn(entries, (by) => by === provider))
  const secrets = [
    ...foreign.filter((text) => text !== "" && !own.some((mine) => mine.includes(text))),
    ...proofsIn(entries, (by) => by !== provider).filter(
      (text) => !ownProofs.has(text) && text !== "reasoning_content",
    ),
  ]
  const last = JSON.stringify(simulator.requests.at(-1)?.body)
  const shown = secrets.filter((text) => last.includes(JSON.stringify(text).slice(1, -1)))
  return [...refused, ...shown.map((text) => `${format.name} was sent what is another's: ${text}`)]
}

test("a log of any maker goes on with every other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 2 }), async (turns) => {
      let log: readonly Entry[] = []
      for (const each of turns) {
        const row = rows[each.maker % rows.length]
        if (row) log = (await ask(row, log, each)).entries
      }
      const found: string[] = []
      for (const row of rows) {
        row.simulator.reset()
        const { end } = await ask(row, log, { prompt: [{ type: "text", text: "go on" }], replies: [] })
        if (end.reason !== "completed") found.push(`${row.format.name} ended with ${end.cause}: ${end.message}`)
        found.push(...complaintsOf(row, log))
      }
      expect(found).toEqual([])
    }),
    runs(80),
  )
}, 900_000)
