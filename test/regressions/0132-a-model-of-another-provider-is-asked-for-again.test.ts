/** A model of another provider in the settings counts as a choice: it is not asked for at every start. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openSimulator } from "#sim/server.ts"
import { openScreenRun } from "../kit/open-screen.ts"
import { openPlace } from "../kit/run-codewright.ts"

test("whoever has chosen a model of a local server starts with it", async () => {
  using place = openPlace()
  const opened = await openSimulator()
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, close } = opened.value
  place.write(join(place.state, "settings.json"), JSON.stringify({ theme: "dark", model: "ollama/qwen3" }))
  const env = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined, OLLAMA_HOST: url }
  await using run = await openScreenRun({ place, argv: ["--trust"], first: "run", env })
  const all = await run.shows(/Choose a model|with ollama\/qwen3/)
  expect(all).not.toContain("Choose a model")
  await close()
})
