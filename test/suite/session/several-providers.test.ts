/** One conversation, several providers: each is sent a valid request, and none another's reasoning. */

import { expect, test } from "bun:test"
import { anthropicProvider } from "#ground/models/anthropic/provider.ts"
import { openModels } from "#ground/models/router.ts"
import { simulatedProvider } from "#ground/models/simulated.ts"
import { systemIds } from "#lib/ids.ts"
import { ok } from "#lib/result.ts"
import { lastToolResult } from "#sim/request.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"
import { inspect } from "#session/request/inspect.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bodyOf } from "../../kit/sent.ts"
import { impatientClock } from "../../kit/test-loop.ts"
import { directNetwork } from "../../kit/direct-network.ts"

const thinks =
  (name: string): ScenarioFunction =>
  (request) =>
    lastToolResult(request) === undefined
      ? {
          content: [
            { thinking: `${name} thinks`, signature: `signed by ${name}` },
            { tool: "Bash", input: { command: "echo hi" } },
          ],
        }
      : { content: [{ thinking: `${name} is done`, signature: `signed by ${name}` }, `${name} says hi.`] }

async function open(name: string): Promise<Simulator> {
  const opened = await openSimulator({ scenario: thinks(name) })
  if (!opened.ok) throw new Error(opened.failure.message)
  return opened.value
}

test("a session goes from one provider to another and back, with calls, and is resumed in between", async () => {
  const anthropic = await open("anthropic")
  const built = await open("sim")
  const models = openModels(
    [anthropicProvider({ baseUrl: anthropic.url, apiKey: "k" }), simulatedProvider(async () => ok(built))],
    { clock: impatientClock, ids: systemIds, network: directNetwork() },
  )
  const model = { port: models, factsOf: models.factsOf, id: "anthropic/claude-opus-4-8", given: false, small: "sim" }
  await using first = await openTestSession({ script: [], model })
  await first.prompt("one")
  void first.session.submit({ type: "set_model", model: "sim" })
  await first.prompt("two")
  await using t = await first.reopen()
  void t.session.submit({ type: "set_model", model: "claude-opus-4-8" })
  expect(await t.prompt("three")).toEqual({ reason: "completed" })
  void t.session.submit({ type: "set_model", model: "openai/gpt-5" })
  const end = await t.prompt("four")

  for (const { requests } of [anthropic, built]) {
    expect(requests.filter(({ answered }) => answered.kind === "refusal")).toEqual([])
    expect(requests.length).toBeGreaterThan(0)
  }
  const sent = (simulator: Simulator): string => JSON.stringify(simulator.requests.map(bodyOf))
  expect(sent(anthropic)).not.toContain("signed by sim")
  expect(sent(anthropic)).toContain("sim says hi.")
  expect(sent(built)).not.toContain("signed by anthropic")
  expect(sent(built)).toContain("anthropic says hi.")
  // What it thought itself before it was asked again is still there.
  expect(JSON.stringify(bodyOf(anthropic.requests.at(-1)))).toContain("anthropic thinks")
  const thought = t
    .entries()
    .flatMap((entry) => (entry.kind === "reply" && entry.block.type === "thinking" ? [entry.block.proof] : []))
  expect(new Set(thought.map((proof) => proof?.by))).toEqual(new Set(["anthropic", "sim"]))
  expect(inspect(t.entries()).map(({ proved }) => proved)).not.toContain(false)
  expect(end).toEqual({
    reason: "error",
    cause: "no_provider",
    message: "The provider openai of openai/gpt-5 is not configured. Configured: anthropic, sim.",
  })
  await Promise.all([anthropic.close(), built.close()])
})
