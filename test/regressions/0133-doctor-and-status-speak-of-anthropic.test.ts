/** `doctor` and `/status` speak of the provider whose model is used, and of its key. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openSimulator } from "#sim/server.ts"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

test("a model of OpenAI is checked at OpenAI, with OpenAI's key", async () => {
  using place = openPlace()
  const opened = await openSimulator()
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, close } = opened.value
  place.write(join(place.state, "settings.json"), JSON.stringify({ model: "openai/gpt-5" }))
  const env = {
    ANTHROPIC_API_KEY: undefined,
    ANTHROPIC_BASE_URL: undefined,
    OPENAI_API_KEY: "sk-openai-00001234",
    OPENAI_BASE_URL: `${url}/v1`,
  }
  const doctor = await runCodewright({ place, argv: ["doctor"], env })
  expect(doctor.stdout).toContain(`openai/gpt-5, with the key in OPENAI_API_KEY (…1234); ${url}/v1 accepts it`)
  const without = await runCodewright({ place, argv: ["doctor"], env: { ...env, OPENAI_API_KEY: undefined } })
  expect(without.stdout).toContain("The model openai/gpt-5 needs a key for OpenAI. Set OPENAI_API_KEY, or run ")
  const status = await runCodewright({ place, argv: ["-p", "/status"], env })
  expect(status.stdout).toMatch(
    /Model +openai\/gpt-5 \(OpenAI, http:\/\/127\.0\.0\.1:\d+\/v1\)\nKey +OPENAI_API_KEY \(…1234\)\n/,
  )
  await close()
})
