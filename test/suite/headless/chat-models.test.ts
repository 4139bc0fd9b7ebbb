/** Models behind Chat Completions, as users name them: a known server by its variable, one of their own by the settings. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { asScenario, linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { use } from "../../kit/script.ts"
import { isObject } from "#lib/json.ts"
import { openSimulator } from "#sim/server.ts"

const json = ["--output-format", "json"]
const writing = [
  {
    content: [
      { text: "I write." },
      use("Write", { file_path: "a.txt", content: "one\n" }),
      use("Bash", { command: "cat a.txt" }),
    ],
  },
  "Done.",
]

/** Opened beside the one of `runCodewright`, whose address is Anthropic's. */
async function behind<T>(work: (url: string, asked: () => readonly string[]) => Promise<T>): Promise<T> {
  const opened = await openSimulator({ scenario: asScenario(writing) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, requests, stats, close } = opened.value
  try {
    const done = await work(url, () =>
      requests.map(({ path, body }) => `${path} ${isObject(body) ? String(body.model) : ""}`),
    )
    expect(stats().refusals).toBe(0)
    return done
  } finally {
    await close()
  }
}

const twice = (model: string): readonly string[] => Array<string>(2).fill(`/v1/chat/completions ${model}`)

test("ollama/… goes to OLLAMA_HOST, without a key", async () => {
  using place = openPlace()
  await behind(async (url, asked) => {
    const run = await runCodewright({
      place,
      argv: ["-p", "write it", "--model", "ollama/qwen3", "--permission-mode", "acceptEdits", ...json],
      env: { OLLAMA_HOST: url.replace("http://", ""), ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined },
    })
    expect(run.code).toBe(0)
    expect(run.stderr).toMatch(/^Nothing is known about ollama\/qwen3\. Assumed: .*\n$/)
    expect(linesOf(run.stdout)).toMatchObject([{ subtype: "success", result: "Done.", num_turns: 2 }])
    expect(asked()).toEqual(twice("qwen3"))
    expect(existsSync(join(place.work, "a.txt"))).toBe(true)
  })
})

test("a server of one's own, with a key, which is nowhere in what is printed", async () => {
  using place = openPlace()
  await behind(async (url, asked) => {
    const providers = { mine: { baseUrl: `${url}/v1`, keyVariable: "MY_KEY", models: { big: { window: 50_000 } } } }
    const run = await runCodewright({
      place,
      argv: [
        "-p",
        "write it",
        "--model",
        "mine/big",
        "--permission-mode",
        "acceptEdits",
        "--settings",
        JSON.stringify({ providers }),
        ...json,
      ],
      env: { MY_KEY: "secret-of-mine-1234567890" },
    })
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" })
    expect(run.stdout).toContain('"contextWindow":50000')
    expect(run.stdout).not.toContain("secret-of-mine")
    expect(asked()).toEqual(twice("big"))
  })
})

test("what is missing or wrong is said before anything is sent", async () => {
  const failing = async (model: string, providers: object): Promise<string> => {
    const run = await runCodewright({
      argv: ["-p", "x", "--model", model, "--settings", JSON.stringify({ providers })],
    })
    expect(run).toMatchObject({ stdout: "", requests: [] })
    expect(run.code).not.toBe(0)
    return run.stderr
  }
  expect(await failing("openai/gpt-5", {})).toMatch(
    /^error: The model openai\/gpt-5 needs a key for OpenAI\. Set OPENAI_API_KEY, or run \S*codewright login openai\.\n$/,
  )
  expect(await failing("openai/gpt-5", { openai: { kind: "openai-chat" } })).toMatch(
    /^error: The model openai\/gpt-5 needs a key for OpenAI\. Set OPENAI_API_KEY, or run \S*codewright login openai\.\n$/,
  )
  expect(await failing("mine/m", { mine: {} })).toBe(
    "error: providers.mine needs a baseUrl, such as http://127.0.0.1:8000/v1.\n",
  )
  expect(await failing("mine/m", { mine: { baseurl: "x" } })).toBe(
    "error: providers.mine: Unknown field `baseurl`; did you mean `baseUrl`?\n",
  )
  expect(await failing("mine/m", { mine: { baseUrl: "ftp://x" } })).toContain(
    "providers.mine.baseUrl is not an address",
  )
  expect(
    await failing("mine/m", { mine: { baseUrl: "http://127.0.0.1:1/v1", models: { m: { window: 0 } } } }),
  ).toContain("providers.mine.models.m")
})

test("a project cannot say where requests go", async () => {
  using place = openPlace({
    ".codewright/settings.json": JSON.stringify({ providers: { mine: { baseUrl: "http://127.0.0.1:1/v1" } } }),
  })
  const run = await runCodewright({ place, argv: ["-p", "x", "--model", "mine/m"], refusals: "expected" })
  expect(run.stderr).toContain("providers")
  expect(run.requests.every(({ path }) => path === "/v1/messages")).toBe(true)
})

test("a small model writes its calls as text, and gets few tools", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const opened = await openSimulator({
    scenario: asScenario([
      '<think>I read.</think>\n<tool_call>\n{"name": "Read", "arguments": {"file_path": "a.txt"}}\n</tool_call>',
      '{"name": "Edit", "parameters": {"file_path": "a.txt", "old_string": "one", "new_string": "two"}}',
      'Done. I called:\n```\n<tool_call>{"name": "Write", "arguments": {"file_path": "b.txt", "content": ""}}</tool_call>\n```',
    ]),
    window: 8_192,
  })
  if (!opened.ok) throw new Error(opened.failure.message)
  await using simulator = { ...opened.value, [Symbol.asyncDispose]: opened.value.close }
  const providers = { mine: { baseUrl: `${simulator.url}/v1`, models: { tiny: { window: 8_192, profile: "small" } } } }
  const run = await runCodewright({
    place,
    argv: ["-p", "make it two", "--model", "mine/tiny", "--permission-mode", "acceptEdits"].concat([
      "--settings",
      JSON.stringify({ providers }),
      ...json,
    ]),
  })
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" })
  expect(linesOf(run.stdout)).toMatchObject([{ subtype: "success", num_turns: 3 }])
  expect(await Bun.file(join(place.work, "a.txt")).text()).toBe("two\n")
  expect(existsSync(join(place.work, "b.txt"))).toBe(false)
  expect(simulator.stats().refusals).toBe(0)
  expect(simulator.requests[0]?.request?.tools).toHaveLength(7)
})
