/** The first session of a newcomer without a key failed with advice about a flag that `serve` does not have. It says what to do there. */

import { expect, test } from "bun:test"
import { openServed } from "../kit/fleet/served.ts"
import { says } from "../kit/script.ts"

test("a session without a model says what the server needs, and the simulator that it names works", async () => {
  await using server = await openServed(() => says("Never asked."), {
    database: "any",
    env: { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "" },
  })
  const { stage, result } = await server.run(server.token, "hello")
  const { text } = result as { readonly text: string }
  expect(stage).toBe("failed")
  expect(text).toContain("codewright login")
  expect(text).toContain("where the server or worker runs")
  expect(text).toContain("choose the model sim")
  expect(text).not.toContain("--model")
  expect(await server.run(server.token, "hello", { model: "sim" })).toMatchObject({ stage: "completed" })
}, 120_000)
