/** Reasoning over the Responses API: it goes back to its provider after a resume, a rewind and a compaction, and to no other. */

import { expect, test } from "bun:test"
import { anthropicProvider } from "#ground/models/anthropic/provider.ts"
import { openModels } from "#ground/models/router.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject } from "#lib/json.ts"
import { lastToolResult, lastUserText, listIn } from "#sim/request.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import { act, promptId } from "../../kit/going-back.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bodyOf } from "../../kit/sent.ts"
import { impatientClock } from "../../kit/test-loop.ts"
import { wireFormats } from "../../kit/wire-formats.ts"

const thinks =
  (name: string): ScenarioFunction =>
  (request) => {
    if (request.tools.length === 0) return { content: "A summary of it all." }
    const about = lastUserText(request).split("\n").at(-1) ?? ""
    return lastToolResult(request) === undefined
      ? {
          content: [
            { thinking: `${name} thinks`, signature: `${name}: ${about}` },
            { tool: "Bash", input: { command: "echo hi" } },
          ],
        }
      : { content: [{ thinking: `${name} is done`, signature: `${name}: done` }, `${name} says hi.`] }
  }

async function open(name: string): Promise<Simulator> {
  const opened = await openSimulator({ scenario: thinks(name) })
  if (!opened.ok) throw new Error(opened.failure.message)
  return opened.value
}

/** Whose thoughts went with a request, as the provider sealed them. */
const sealed = (simulator: Simulator): readonly string[] =>
  listIn(bodyOf(simulator.requests.at(-1)).input).flatMap((item) =>
    isObject(item) && item.type === "reasoning" ? [String(item.encrypted_content).replace(/^sim\.\w+\./, "")] : [],
  )

const refusals = ({ requests }: Simulator): readonly unknown[] =>
  requests.filter(({ answered }) => answered.kind === "refusal")

test("it goes where it came from: between providers, resumed, rewound and compacted", async () => {
  const openai = await open("openai")
  const anthropic = await open("anthropic")
  const { responses } = wireFormats
  const models = openModels(
    [responses.provider(openai.url), anthropicProvider({ baseUrl: anthropic.url, apiKey: "k" })],
    { clock: impatientClock, ids: systemIds },
  )
  const model = { port: models, factsOf: models.factsOf, id: responses.model, given: false, small: responses.model }
  await using first = await openTestSession({ script: [], model })
  expect(await first.prompt("one")).toEqual({ reason: "completed" })
  expect(sealed(openai)).toEqual(["openai: one"])
  void first.session.submit({ type: "set_model", model: "claude-opus-4-8" })
  expect(await first.prompt("two")).toEqual({ reason: "completed" })
  const shown = JSON.stringify(anthropic.requests.map(bodyOf))
  expect(shown).not.toContain("openai: ")
  expect(shown).not.toContain("openai thinks")
  expect(shown).toContain("openai says hi.")

  await using t = await first.reopen()
  void t.session.submit({ type: "set_model", model: responses.model })
  expect(await t.prompt("three")).toEqual({ reason: "completed" })
  expect(sealed(openai)).toEqual(["openai: one", "openai: done", "openai: three"])
  expect(JSON.stringify(openai.requests.map(bodyOf))).not.toContain("anthropic thinks")

  await act(t, { type: "rewind", promptId: promptId(t, "three"), what: "conversation" })
  expect(await t.prompt("four")).toEqual({ reason: "completed" })
  expect(sealed(openai)).toEqual(["openai: one", "openai: done", "openai: four"])

  await act(t, { type: "compact" })
  expect(await t.prompt("five")).toEqual({ reason: "completed" })
  expect(sealed(openai).at(-1)).toBe("openai: five")
  for (const simulator of [openai, anthropic]) expect(refusals(simulator)).toEqual([])
  await Promise.all([openai.close(), anthropic.close()])
})
