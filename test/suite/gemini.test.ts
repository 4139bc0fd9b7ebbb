/** The loop over the Gemini API: its own ways to end, and answers in one piece. */

import { expect, test } from "bun:test"
import { openModels } from "#ground/models/router.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject } from "#lib/json.ts"
import type { Fault } from "#sim/faults.ts"
import type { Scenario } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { answerComplaints, impatientClock, runLoop } from "../kit/test-loop.ts"
import { complaints } from "../kit/valid-messages.ts"
import { wireFormats } from "../kit/wire-formats.ts"

async function play(scenario: Scenario, faults: readonly Fault[] = []) {
  const opened = await openSimulator({ scenario })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, setFaults, requests, stats, close } = opened.value
  setFaults(faults)
  const model = openModels([wireFormats.gemini.provider(url)], { clock: impatientClock, ids: systemIds })
  const run = await runLoop({ model, modelName: wireFormats.gemini.model, prompt: "go", concurrency: 10 })
  model.close()
  await close()
  expect(answerComplaints(run.entries)).toEqual([])
  expect(complaints(run.messages)).toEqual([])
  expect(stats().refusals).toBe(0)
  return { ...run, methods: requests.map(({ path }) => path.replace(/^.*:/, "")) }
}

const act = { tool: "Act", input: { id: "deed" } }

test("a call that the model could not write is asked for again", async () => {
  const run = await play({
    replies: [{ content: [], stopReason: "MALFORMED_FUNCTION_CALL" }, { content: [act] }, { content: "Done." }],
  })
  expect(run.end).toEqual({ reason: "completed" })
  expect(run.watch.started).toEqual(["deed"])
  expect(run.methods).toHaveLength(3)
})

test("an answer that is longer than one request may give is continued", async () => {
  const run = await play({ replies: [{ content: "One,", stopReason: "CONTINUATION" }, { content: "two." }] })
  expect(run.end).toEqual({ reason: "completed" })
  expect(run.methods).toHaveLength(2)
})

test("what Google will not have recited is a refusal", async () => {
  const run = await play({ replies: [{ content: "To be", stopReason: "RECITATION" }] })
  expect(run.end).toMatchObject({ reason: "error", cause: "refusal" })
})

test("where streams keep breaking, the answer comes whole, with its signatures", async () => {
  const scenario: Scenario = ({ messages }) => {
    const isDone = messages.some(({ content }) => content.some(({ input }) => isObject(input) && input.id === "deed"))
    return { content: isDone ? "Done." : [{ text: "I act, after so many words." }, act] }
  }
  const run = await play(scenario, [{ name: "reset_mid_event", times: 2, afterEvents: 3 }])
  expect(run.end).toEqual({ reason: "completed" })
  expect(run.methods).toEqual([
    "streamGenerateContent",
    "streamGenerateContent",
    "generateContent",
    "streamGenerateContent",
  ])
  expect(run.watch.started).toEqual(["deed"])
  const proofs = run.messages.flatMap(({ content }) =>
    content.flatMap((block) => ("proof" in block ? block.proof : [])),
  )
  expect(proofs.map((proof) => proof?.by)).toEqual(["gemini", "gemini"])
})
