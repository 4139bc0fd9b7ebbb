/** Answers cut at random bytes, by a model that asks again for whatever it does not see: every effect happens once and is told. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { defineTool } from "#agent/words/define-tool.ts"
import { writes } from "#agent/words/footprint.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Message } from "#agent/words/message.ts"
import { answered } from "#agent/words/tool.ts"
import { type Ids, seededIds, systemIds } from "#lib/ids.ts"
import * as shape from "#lib/shape.ts"
import { encodeStream, encodeWhole } from "#sim/anthropic.ts"
import { speak } from "#sim/spoken.ts"
import { parseReply } from "#sim/scenario-schema.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioBlock, ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { chance, pick } from "../kit/random-script.ts"
import { bash, use } from "../kit/script.ts"
import { complaints } from "../kit/valid-messages.ts"

setDefaultTimeout(300_000)

const cuts = 200
const sessionsAtOnce = 4
const groups = 12

/** Adds a line to a file, so that a call that runs twice leaves two lines. */
const appending = (path: () => string): Kit => ({
  name: "appending",
  tools: [
    defineTool({
      name: "Append",
      description: "Adds a line to the journal.",
      input: shape.object({ line: shape.string(), ms: shape.number().default(0) }),
      title: ({ line }) => `Append ${line}`,
      footprint: () => writes(path()),
      async run({ line, ms }) {
        if (ms > 0) await Bun.sleep(ms)
        appendFileSync(path(), `${line}\n`)
        return answered(`added ${line}`)
      },
    }),
  ],
})

/** The effects of one answer: most by a tool of ours, some by a real command. */
const effectsOf = (ids: Ids, group: number): readonly ScenarioBlock[] =>
  Array.from({ length: 2 + Math.floor(ids.random() * 3) }, (_, i) => {
    const line = `effect-${group}-${i}`
    if (chance(ids, 0.15)) return bash(`echo ${line} >> journal.txt`)
    return use("Append", { line, ms: chance(ids, 0.3) ? Math.floor(ids.random() * 4) : 0 })
  })

const lineIn = (text: string): string => /effect-\d+-\d+/.exec(text)?.[0] ?? ""

/** The effects that a conversation tells of: calls with a result that is no error. */
function toldIn(messages: readonly Message[]): readonly string[] {
  const done = new Set<string>()
  for (const block of messages.flatMap(({ content }) => [...content]))
    if (block.type === "tool_result" && block.is_error !== true) done.add(block.tool_use_id)
  return messages.flatMap(({ content }) =>
    [...content].flatMap((block) =>
      block.type === "tool_use" && done.has(block.id) ? [lineIn(JSON.stringify(block.input))] : [],
    ),
  )
}

/** Messages of the wire as ours, for whom a signature is a proof. */
const messagesIn = (messages: SimRequest["messages"]): readonly Message[] =>
  messages.map(({ role, content }) => ({
    role,
    content: content.map(({ signature, ...block }) =>
      signature === undefined ? block : { ...block, proof: { by: "anthropic", value: signature } },
    ),
  })) as unknown as readonly Message[]

function spokenBy(ids: Ids, wanted: readonly ScenarioBlock[]): ScenarioReply {
  const content: ScenarioBlock[] = []
  content.push({
    thinking: `I have to think about ${wanted.length} things, ${"so ".repeat(ids.random() * 9)}here goes.`,
  })
  if (chance(ids, 0.5)) content.push({ text: "Ich füge etwas hinzu: Zeilen für €." })
  for (const call of wanted) {
    content.push(call)
    if (chance(ids, 0.3)) content.push({ text: "And then more of the same." })
    if (chance(ids, 0.2)) content.push({ thinking: "Was that all? I think not." })
  }
  return { content }
}

/** The reply, broken at one of its bytes; about half of all break with a reset. */
function broken(ids: Ids, reply: ScenarioReply, delivery: "stream" | "whole"): ScenarioReply {
  const planned = parseReply(reply)
  if (!planned.ok) throw new Error(planned.failure)
  const spoken = speak(planned.value, "claude-sonnet-5", { read: 0, written: 0, written1h: 0, input: 9_999 }, systemIds)
  const pieces = encodeStream(spoken).map(({ bytes }) => bytes)
  const body = delivery === "stream" ? pieces.slice(0, -1).join("") : JSON.stringify(encodeWhole(spoken))
  const afterBytes = Math.floor(ids.random() * (Buffer.byteLength(body) - 40))
  return { ...reply, fault: { name: pick(ids, ["reset_at_byte", "closed_at_byte"]), afterBytes } }
}

interface Told {
  readonly faults: { reset_at_byte: number; closed_at_byte: number }
  readonly complaints: string[]
}

/** Asks for the first group of which it misses something; two cuts in a row are followed by a whole answer. */
function forgetful(ids: Ids, wanted: readonly (readonly ScenarioBlock[])[], journal: () => string, told: Told) {
  let inARow = 0
  const scenario: ScenarioFunction = ({ messages, stream }) => {
    const conversation = messagesIn(messages)
    const seen = toldIn(conversation)
    const happened = journal().split("\n").filter(Boolean)
    if (happened.toSorted().join() !== seen.toSorted().join())
      told.complaints.push(`happened: ${happened.join()}; told: ${seen.join()}`)
    told.complaints.push(...complaints(conversation))
    const missing = wanted.map((group) => group.filter((call) => !seen.includes(lineIn(JSON.stringify(call)))))
    const next = missing.find((group) => group.length > 0)
    if (next === undefined) return { content: "Everything is done." }
    const reply = spokenBy(ids, next)
    if (inARow === 2) {
      inARow = 0
      return reply
    }
    inARow++
    const cut = broken(ids, reply, stream ? "stream" : "whole")
    if (typeof cut.fault === "object") told.faults[cut.fault.name as keyof Told["faults"]]++
    return cut
  }
  return scenario
}

async function playOne(seed: number, told: Told): Promise<void> {
  const ids = seededIds(seed)
  const wanted = Array.from({ length: groups }, (_, group) => effectsOf(ids, group))
  const path = (): string => session.path("journal.txt")
  const journal = (): string => (existsSync(path()) ? readFileSync(path(), "utf8") : "")
  await using session = await openTestSession({
    script: forgetful(ids, wanted, journal, told),
    kits: [appending(path)],
    limits: { thinking: { type: "on", tokens: 2_000 }, repeats: 10 },
  })
  const end = await session.prompt("add the lines")
  const complain = (what: string): void => void told.complaints.push(`seed ${seed}: ${what}`)
  if (end.reason !== "completed") complain(`ended with ${end.cause}: ${end.message}`)
  const expected = wanted.flat().map((call) => lineIn(JSON.stringify(call)))
  const lines = journal().trim().split("\n")
  if (lines.toSorted().join() !== expected.toSorted().join()) complain(`the journal says ${lines.join()}`)
  const { refusals } = session.simulator.stats()
  if (refusals > 0) complain(`${refusals} requests were refused`)
}

test(`${cuts} random cuts: every effect happens once and is in the next request with its result`, async () => {
  const told: Told = { faults: { reset_at_byte: 0, closed_at_byte: 0 }, complaints: [] }
  let seed = 0
  while (told.faults.reset_at_byte + told.faults.closed_at_byte < cuts && told.complaints.length === 0)
    await Promise.all(Array.from({ length: sessionsAtOnce }, () => playOne(++seed, told)))
  expect(told.complaints.slice(0, 5)).toEqual([])
  for (const count of Object.values(told.faults)) expect(count).toBeGreaterThan(cuts / 3)
})
