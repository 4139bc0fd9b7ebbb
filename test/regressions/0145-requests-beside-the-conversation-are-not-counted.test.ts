/**
 * Programs that add up the lines of transcripts missed what was used outside the conversation (summaries, titles, side questions) and by
 * answers that were cut off. Counted as ccusage 17 and ccstatusline 2 count, the lines come to what our own log says, model by model.
 */

import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { addUsage, noUsage, type Usage } from "#agent/words/model.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { decodeFile } from "#kits/subagents/decode.ts"
import type { ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import { act } from "../kit/going-back.ts"
import { openTestSession, type TestSession } from "../kit/open-test-session.ts"
import { bash, calls, read, says } from "../kit/script.ts"
import { task } from "../suite/subagents/cast.ts"

type Sums = { readonly [model: string]: Usage }

const scout = decodeFile({
  path: "/a.md",
  source: "user",
  text: "---\nname: scout\ndescription: Looks.\nmodel: haiku\n---\nBe brief.",
}).definitions

const padding = "The sums of this turn are right. ".repeat(800)
const summary = "<summary>\n1. Request and intent: the user wants the work done.\n8. Current work: none.\n</summary>"

/** Each answer uses another number of tokens, so that one that is missing or counted twice is seen. */
function talker(): ScenarioFunction {
  let nth = 0
  const used = (reply: ScenarioReply): ScenarioReply => ({ ...reply, usage: { output_tokens: 100 + 2 ** nth++ } })
  return ({ messages, tools }) => {
    const last = messages.at(-1)?.content ?? []
    const said = JSON.stringify(last)
    if (said.includes("Write a summary")) return used(says(summary))
    if (said.includes("side-question")) return used(says("On the side."))
    if (tools.length === 0) return used(says("A title"))
    if (last.some(({ type }) => type === "tool_result")) return used(says("Done."))
    if (said.includes("two calls")) return used({ content: ["I look.", bash("echo one"), bash("echo two")] })
    if (said.includes("an agent")) return used(calls(task("Look at it", { subagent_type: "scout" })))
    if (said.includes("fill")) return used(calls(read("a.txt")))
    return used(says(padding))
  }
}

/** Every line with usage in the logs of a project, agents included. */
function linesBelow(folder: string): readonly JsonObject[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".jsonl"))
  return files.flatMap((path) =>
    readFileSync(join(folder, path), "utf8")
      .trimEnd()
      .split("\n")
      .map((line): JsonObject => JSON.parse(line))
      .filter(({ message }) => isObject(message) && isObject(message.usage)),
  )
}

const add = (sums: Sums, { message }: JsonObject): Sums => {
  const { model, usage } = message as JsonObject
  return { ...sums, [String(model)]: addUsage(sums[String(model)] ?? noUsage, usage as unknown as Usage) }
}

/** A line with both ids once, every other line by itself. */
function asCcusage(lines: readonly JsonObject[]): Sums {
  const seen = new Set<string>()
  return lines.reduce<Sums>((sums, line) => {
    const key = `${String((line.message as JsonObject).id)}:${String(line.requestId)}`
    if (line.requestId !== undefined && seen.has(key)) return sums
    seen.add(key)
    return add(sums, line)
  }, {})
}

/** Of one file: lines that end an answer. */
const asCcstatusline = (file: string): Sums =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): JsonObject => JSON.parse(line))
    .filter(({ message }) => isObject(message) && isObject(message.usage) && typeof message.stop_reason === "string")
    .reduce(add, {})

/** Models without any use are left out. */
const counted = (sums: Sums): object =>
  Object.fromEntries(
    Object.entries(sums).flatMap(([model, usage]) => {
      const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage
      const all = [input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens]
      return all.some((tokens) => tokens > 0) ? [[model, all]] : []
    }),
  )

const own = async (t: TestSession): Promise<Sums> => {
  const { spending } = await t.ask({ type: "state" })
  return Object.fromEntries(Object.entries(spending).map(([model, { usage }]) => [model, usage]))
}

test("answers, agents, summaries, titles, side questions and what was cut off, each once, also after a fork", async () => {
  await using t = await openTestSession({
    script: talker(),
    names: true,
    agents: scout,
    files: { "a.txt": "one\n" },
  })
  await t.prompt("two calls")
  expect(await t.ask({ type: "btw", question: "what was that?" })).toMatchObject({ ok: true })
  t.simulator.setFaults([{ name: "reset_after_tool_call", times: 1 }])
  await t.prompt("two calls, and the connection breaks")
  t.simulator.setFaults([{ name: "reset_mid_event", times: 1 }])
  await t.prompt("talk, and the connection breaks")
  await t.prompt("fill")
  await act(t, { type: "compact" })
  expect(t.entries().some(({ kind }) => kind === "compaction")).toBe(true)
  const alone = counted(await own(t))
  expect(counted(asCcusage(linesBelow(dirname(t.logPath))))).toEqual(alone)
  expect(counted(asCcstatusline(t.logPath))).toEqual(alone)
  expect(Object.keys(alone).length).toBeGreaterThan(1)

  await t.prompt("an agent")
  await using fork = await t.fork()
  await fork.prompt("talk")
  // The copy has paid for all that the first one has.
  expect(counted(asCcusage(linesBelow(dirname(t.logPath))))).toEqual(counted(await own(fork)))
})

test("the size of the conversation is that of its last answer, whatever was asked beside it", async () => {
  await using t = await openTestSession({ script: talker(), names: false })
  await t.prompt("two calls")
  const sizeBy = (): unknown =>
    linesBelow(dirname(t.logPath)).findLast(({ isSidechain, message }) => {
      return isSidechain !== true && (message as JsonObject).stop_reason !== null
    })?.message
  const before = sizeBy()
  await t.ask({ type: "btw", question: "what was that?" })
  expect(sizeBy()).toEqual(before)
})
