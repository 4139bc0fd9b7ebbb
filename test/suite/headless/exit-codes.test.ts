/** Exit codes: 0 and 1 unless the detailed ones are asked for, by flag or by setting. */

import { describe, expect, test } from "bun:test"
import { openPlace, type RunOptions, runCodewright } from "../../kit/run-codewright.ts"

const write = { content: [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] }

interface Ending extends Omit<RunOptions, "argv"> {
  readonly argv?: readonly string[]
  readonly detailed: number
}

const endings: { readonly [name: string]: Ending } = {
  done: { scenario: ["Done."], detailed: 0 },
  "the provider refuses": {
    scenario: () => {
      throw new Error("no such thing")
    },
    refusals: "expected",
    detailed: 1,
  },
  "a permission nobody could give": { scenario: [write, "I may not."], detailed: 3 },
  "the limit of turns": { argv: ["--max-turns", "1"], scenario: [write], detailed: 4 },
  "nobody answers": {
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", CODEWRIGHT_MAX_RETRIES: "0" },
    detailed: 5,
  },
  "the rate limit lasts": { scenario: ["x"], faults: ["rate_limit_reset_far"], detailed: 5 },
}

describe("exit code", () => {
  for (const [name, { detailed, argv = [], ...options }] of Object.entries(endings))
    test.concurrent(`${detailed}: ${name}`, async () => {
      using place = openPlace()
      const run = await runCodewright({ ...options, place, argv: ["-p", "x", "--detailed-exit-codes", ...argv] })
      expect(run.code).toBe(detailed)
    })

  test.concurrent("2: misused, by the setting", async () => {
    const argv = ["-p", "x", "--session-id", "mine", "--settings", '{"detailedExitCodes": true}']
    expect((await runCodewright({ argv })).code).toBe(2)
  })
})
