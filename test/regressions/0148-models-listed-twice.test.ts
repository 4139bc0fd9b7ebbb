/** The models of OpenAI were listed twice, once for each API that they can be asked over. */

import { expect, test } from "bun:test"
import { runCodewright } from "../kit/run-codewright.ts"

const env = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined, OPENAI_API_KEY: "key-of-a-test-1234567890" }

test("the list has them once; by its name, the other way can still be listed", async () => {
  const all = await runCodewright({ argv: ["models"], env })
  expect(all.stdout).toContain("openai/gpt-5")
  expect(all.stdout).not.toContain("openai-chat")
  const named = await runCodewright({ argv: ["models", "openai-chat"], env })
  expect(named.stdout).toContain("openai-chat/gpt-5")
})
