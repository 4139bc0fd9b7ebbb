/** `codewright models`, and what is known of models as sessions use it: prices, short names, the user's own file. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { asScenario, linesOf, openPlace, type Place, type Run, runCodewright } from "../../kit/run-codewright.ts"
import { use } from "../../kit/script.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"

interface Wish {
  readonly argv: readonly string[]
  readonly scenario?: readonly (string | ScenarioReply)[]
  readonly env?: (url: string) => { readonly [name: string]: string | undefined }
  readonly place?: Place
}

/** A run against a simulator that stands for another provider, and the models that it was asked for. */
async function run({
  argv,
  scenario = [],
  env = openai,
  place,
}: Wish): Promise<Run & { readonly asked: readonly string[] }> {
  const opened = await openSimulator({ scenario: asScenario(scenario) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, requests, stats, close } = opened.value
  try {
    const done = await runCodewright({ argv, env: { ...nobody, ...env(url) }, ...(place && { place }) })
    expect(stats().refusals).toBe(0)
    return { ...done, asked: requests.map(({ body }) => (isObject(body) ? String(body.model) : "")) }
  } finally {
    await close()
  }
}

const nobody = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined }
const openai = (url: string): { readonly [name: string]: string } => ({
  OPENAI_API_KEY: "key-of-a-test-1234567890",
  OPENAI_BASE_URL: `${url}/v1`,
})
const gemini = (url: string): { readonly [name: string]: string } => ({
  GEMINI_API_KEY: "key-of-a-test-1234567890",
  GOOGLE_GEMINI_BASE_URL: url,
})
const ollama = (url: string): { readonly [name: string]: string } => ({ OLLAMA_HOST: url })
const anthropic = (url: string): { readonly [name: string]: string } => ({
  ANTHROPIC_API_KEY: "key-of-a-test-1234567890",
  ANTHROPIC_BASE_URL: url,
})
const numbers = (to: number): string => Array.from({ length: to }, (_, i) => i + 1).join(" ")

/** A model that does all that it is asked. */
const able: readonly (string | ScenarioReply)[] = [
  "pong",
  { content: [use("add", { a: 17, b: 25 })] },
  "The sum is 42.",
  { content: [use("add", { a: 1, b: 2 }), use("add", { a: 3, b: 4 })] },
  "3 and 7.",
  "Red.",
  numbers(400),
  numbers(2_000),
  {
    content: [
      use("report", { name: "Ada", languages: ["English", "French"], address: { city: "London", number: 12 } }),
    ],
  },
]
/** One that only talks. */
const talker = ["pong", "That is 42.", "3 and 7.", "A picture.", "1 2 3", numbers(2_000), "Ada, London."]

test.each([
  ["Messages", "claude-sonnet-5-5", anthropic],
  ["Chat Completions", "ollama/qwen3", ollama],
  ["Responses", "openai/gpt-5.5", openai],
  ["Gemini", "gemini/gemini-3.8-flash", gemini],
] as const)("a model that can do everything, over %s", async (_face, model, env) => {
  const { code, stdout, stderr } = await run({ argv: ["models", "test", model, "--json"], scenario: able, env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  const { tests, usable, usage } = JSON.parse(stdout) as JsonObject
  expect(tests).toMatchObject(
    ["text", "a call", "two calls at once", "a picture", "a long answer", "cancel", "structured output"].map(
      (name) => ({
        name,
        state: "ok",
      }),
    ),
  )
  expect(usable).toBe(true)
  expect(isObject(usage) && Number(usage.output_tokens)).toBeGreaterThan(100)
})

test("one that only talks cannot be worked with; the setting says why, and counts when it is pasted", async () => {
  using place = openPlace()
  const told = await run({ argv: ["models", "test", "ollama/qwen3"], scenario: talker, env: ollama, place })
  expect(told.code).toBe(1)
  expect(told.stdout).toContain("Nothing is known about ollama/qwen3. Assumed: 32,000 tokens of context")
  expect(told.stdout).toContain("wrong  a call: it answered in words instead of calling the tool.")
  expect(told.stdout).toContain("no     a long answer: it stopped after 3 of 400 numbers.")
  expect(told.stdout).toContain("Cost: unknown, because no price is known")
  const setting = told.stdout.slice(told.stdout.indexOf("{\n"))
  expect(JSON.parse(setting)).toEqual({
    providers: { ollama: { models: { qwen3: { window: 32_000, maxOutput: 8_000, tools: false, images: false } } } },
  })
  place.write(join(place.state, "settings.json"), setting)
  const listed = await run({ argv: ["models", "ollama", "--json"], env: ollama, place })
  expect(JSON.parse(listed.stdout)).toMatchObject({
    providers: [{ name: "ollama", configured: true, models: [{ id: "ollama/qwen3", tools: false, images: false }] }],
  })
})

test("a test is paid by the listed price, and a model that cannot be reached is asked once", async () => {
  const paid = await run({ argv: ["models", "test", "openai/gpt-5.4-mini", "--json"], scenario: able })
  expect(paid.code).toBe(0)
  const { costUsd, usage, setting } = JSON.parse(paid.stdout) as { costUsd: number; usage: JsonObject; setting: null }
  expect(costUsd).toBeGreaterThan(Number(usage.output_tokens) * 4.5e-6 - 1e-12)
  expect(setting).toBeNull()
  const away = await run({
    argv: ["models", "test", "openai/gpt-5.5"],
    env: () => ({ ...openai("http://127.0.0.1:1"), CLAUDE_CODE_MAX_RETRIES: "0" }),
  })
  expect(away.code).toBe(1)
  expect(away.stdout).toContain("wrong  text:")
  expect(away.stdout).not.toContain("a call")
})

test("the list: what can be used, short names, prices, and what to do for others", async () => {
  const { code, stdout } = await run({ argv: ["models"] })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^openai\/gpt-6\.1-sol +922k +128k +2 \/ 10 +pictures, PDF, thinking +openai\/default$/m)
  expect(stdout).toMatch(/^ {2}anthropic +run .*codewright login, or set ANTHROPIC_API_KEY$/m)
  expect(stdout).toMatch(/^ {2}openrouter +set OPENROUTER_API_KEY$/m)
  expect(stdout).toMatch(/^ {2}ollama\/<model> +assumed to have 32k context/m)
  expect(stdout).toMatch(/as listed on 20\d\d-\d\d-\d\d or later, Anthropic's on 20\d\d-\d\d-\d\d\./)
  const none = await run({ argv: ["models", "zzz"] })
  expect({ code: none.code, stderr: none.stderr }).toEqual({
    code: 1,
    stderr: "error: Nothing is known by the name zzz. codewright models lists all providers.\n",
  })
})

test("a budget in dollars is kept with a listed price, and the cost is counted by it", async () => {
  const argv = ["-p", "x", "--model", "openai/gpt-5.5", "--output-format", "json", "--max-budget-usd"]
  const enough = await run({ argv: [...argv, "2"], scenario: ["Done."] })
  expect(enough).toMatchObject({ code: 0, asked: ["gpt-5.5"] })
  const [result] = linesOf(enough.stdout) as readonly { total_cost_usd: number; usage: JsonObject }[]
  const { input_tokens, output_tokens, cache_read_input_tokens } = result?.usage ?? {}
  expect(result?.total_cost_usd).toBeCloseTo(
    (Number(input_tokens) * 5 + Number(output_tokens) * 30 + Number(cache_read_input_tokens) * 0.5) / 1e6,
    9,
  )
  expect(result?.total_cost_usd).toBeGreaterThan(0)
  const little = await run({ argv: [...argv, "0.0001"], scenario: ["Done."] })
  expect(little.asked).toEqual([])
  expect(little.stdout).toContain("error_max_budget_usd")
})

test("an unknown model has no price, so a budget in dollars is refused", async () => {
  const argv = ["-p", "x", "--model", "openai/gpt-of-tomorrow", "--max-budget-usd", "2"]
  const { asked, code, stdout, stderr } = await run({ argv, scenario: ["Done."] })
  expect({ asked, isRefused: code !== 0 }).toEqual({ asked: [], isRefused: true })
  expect(stdout + stderr).toContain("No price is known for openai/gpt-of-tomorrow")
})

test("short names: of the provider, for its agents, and as the user sets them", async () => {
  const agents = JSON.stringify({
    scout: { description: "Scouts.", prompt: "You scout.", tools: ["Read"], model: "haiku" },
  })
  const scenario = [
    { content: [use("Task", { description: "a look", prompt: "look", subagent_type: "scout" })] },
    "Found.",
    "Done.",
  ]
  const argv = ["-p", "go", "--agents", agents]
  const shipped = await run({ argv: [...argv, "--model", "openai"], scenario })
  expect(shipped.asked).toEqual(["gpt-6.1-sol", "gpt-6-luna", "gpt-6.1-sol"])
  const providers = { openai: { aliases: { default: "my-big", small: "my-small" } } }
  const own = await run({
    argv: [...argv, "--model", "openai/default", "--settings", JSON.stringify({ providers })],
    scenario,
  })
  expect(own.asked).toEqual(["my-big", "my-small", "my-big"])
})

test("models.json adds models and corrects facts; settings come before it; a mistake in it is named", async () => {
  using place = openPlace()
  const file = join(place.state, "models.json")
  const price = { input: 1, output: 2 }
  const models = { "gpt-5.5": { window: 50_000 }, "gpt-of-tomorrow": { window: 70_000, price } }
  place.write(file, JSON.stringify({ providers: { openai: { models } } }))
  const windowOf = async (model: string, settings: object = {}): Promise<unknown> => {
    const argv = ["-p", "x", "--model", model, "--output-format", "json", "--settings", JSON.stringify(settings)]
    const { stdout } = await run({ argv, scenario: ["Done."], place })
    const [line] = linesOf(stdout) as readonly { modelUsage: { [name: string]: JsonObject } }[]
    return line?.modelUsage[model]?.contextWindow
  }
  expect(await windowOf("openai/gpt-5.5")).toBe(50_000)
  expect(await windowOf("openai/gpt-of-tomorrow")).toBe(70_000)
  const over = { providers: { openai: { models: { "gpt-5.5": { window: 60_000 } } } } }
  expect(await windowOf("openai/gpt-5.5", over)).toBe(60_000)
  const failing = async (text: string): Promise<string> => {
    place.write(file, text)
    const { code, stderr, asked } = await run({ argv: ["-p", "x", "--model", "openai/gpt-5.5"], place })
    expect({ isRefused: code !== 0, asked }).toEqual({ isRefused: true, asked: [] })
    return stderr
  }
  expect(await failing('{"providers":')).toContain(`${file} is not JSON: `)
  expect(await failing('{"providers":{"openai":{"models":{"m":{"window":"big"}}}}}')).toContain(
    `${file}: providers.openai.models.m: Field \`window\` must be a whole number, not a string.`,
  )
  expect(await failing('{"providers":{"anthropic":{}}}')).toContain("use the setting providers.prices")
})

test("what a model is not given is said once, in the log and to the model", async () => {
  using place = openPlace()
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  writeFileSync(join(place.work, "a.png"), Buffer.from(data, "base64"))
  const scenario = [
    { content: [use("Read", { file_path: "a.png" })] },
    { content: [use("Read", { file_path: "a.png" })] },
    "Done.",
  ]
  const done = await run({ argv: ["-p", "look", "--model", "ollama/qwen3"], scenario, env: ollama, place })
  expect(done).toMatchObject({ code: 0, stdout: "Done.\n", asked: ["qwen3", "qwen3", "qwen3"] })
  const [log = ""] = [...new Bun.Glob("**/*.jsonl").scanSync({ cwd: place.state, absolute: true })]
  const notices = (await Bun.file(log).text()).match(/ollama\/qwen3 cannot see pictures/g)
  expect(notices).toHaveLength(1)
})
