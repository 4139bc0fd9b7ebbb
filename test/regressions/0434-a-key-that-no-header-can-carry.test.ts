/** A key with characters that no header can carry, such as one pasted with an ellipsis, was "Header 'x-api-key' has invalid value", without a word of which key it was. */

import { expect, test } from "bun:test"
import { runCodewright } from "../kit/run-codewright.ts"

test("a key that cannot be sent is named, with where it comes from", async () => {
  const env = { ANTHROPIC_API_KEY: "sk-ant-…", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }
  const { code, stdout, stderr } = await runCodewright({ argv: ["-p", "hello"], env })
  expect(code).toBe(1)
  expect(`${stdout}${stderr}`).toContain("ANTHROPIC_API_KEY")
  expect(`${stdout}${stderr}`).toContain("was not sent, because it has characters that no key has.")
})
