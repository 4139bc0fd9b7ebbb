/** OpenAI's models as users name them: by their key, over Responses at OpenAI, over Chat Completions elsewhere unless told. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { asScenario, linesOf, openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { use } from "../../kit/script.ts"
import { bodyOf } from "../../kit/sent.ts"
import { isObject } from "#lib/json.ts"
import type { RecordedRequest } from "#sim/ledger.ts"
import { listIn } from "#sim/request.ts"
import { openSimulator } from "#sim/server.ts"

const key = "sk-proj-of-mine-1234567890"
const writing = [
  {
    content: [
      { thinking: "I should write it." },
      { text: "I write." },
      use("Write", { file_path: "a.txt", content: "one\n" }),
      use("Bash", { command: "cat a.txt" }),
    ],
  },
  { content: [{ thinking: "It is done." }, { text: "Done." }] },
  "Again.",
]
const overResponses = JSON.stringify({ providers: { openai: { kind: "openai-responses" } } })

async function behind(work: (url: string, asked: readonly RecordedRequest[]) => Promise<void>): Promise<void> {
  const opened = await openSimulator({ scenario: asScenario(writing) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, requests, stats, close } = opened.value
  try {
    await work(url, requests)
    expect(stats().refusals).toBe(0)
    expect(stats().cacheBreaks).toEqual([])
  } finally {
    await close()
  }
}

const run = (place: Place, url: string, ...more: readonly string[]) =>
  runCodewright({
    place,
    argv: ["-p", "write it", "--permission-mode", "acceptEdits", "--output-format", "json", ...more],
    env: {
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${url}/v1`,
      ANTHROPIC_API_KEY: undefined,
      ANTHROPIC_BASE_URL: undefined,
    },
  })

const kindsIn = (request: RecordedRequest | undefined): readonly unknown[] =>
  listIn(bodyOf(request).input).map((item) => (isObject(item) ? item.type : undefined))

test("a run over Responses, continued in another process, with its reasoning", async () => {
  using place = openPlace()
  await behind(async (url, asked) => {
    const model = ["--model", "openai/gpt-5", "--settings", overResponses]
    const first = await run(place, url, ...model, "--effort", "high")
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: "" })
    expect(linesOf(first.stdout)).toMatchObject([{ subtype: "success", result: "Done.", num_turns: 2 }])
    expect(first.stdout).not.toContain(key)
    expect(existsSync(join(place.work, "a.txt"))).toBe(true)
    const next = await run(place, url, ...model, "--continue")
    expect(linesOf(next.stdout)).toMatchObject([{ subtype: "success", result: "Again." }])

    expect(asked.map(({ path }) => path)).toEqual(Array<string>(3).fill("/v1/responses"))
    expect(bodyOf(asked[0])).toMatchObject({
      model: "gpt-5",
      store: false,
      stream: true,
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
    })
    const round = ["message", "reasoning", "message", "function_call", "function_call"]
    const results = ["function_call_output", "function_call_output"]
    expect(kindsIn(asked[1])).toEqual([...round, ...results])
    expect(kindsIn(asked[2])).toEqual([...round, ...results, "reasoning", "message", "message"])
    const keys = asked.map((request) => bodyOf(request).prompt_cache_key)
    expect(new Set(keys).size).toBe(1)
  })
})

test("at another address OpenAI's name means Chat Completions, and so does openai-chat", async () => {
  for (const model of ["openai/gpt-5", "openai-chat/gpt-5"]) {
    using place = openPlace()
    await behind(async (url, asked) => {
      const { code, stdout } = await run(place, url, "--model", model)
      expect(code).toBe(0)
      expect(linesOf(stdout)).toMatchObject([{ subtype: "success", result: "Done." }])
      expect(asked.map(({ path }) => path)).toEqual(Array<string>(2).fill("/v1/chat/completions"))
    })
  }
})
