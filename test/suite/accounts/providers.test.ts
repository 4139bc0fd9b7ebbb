/** Keys and models of every provider, from the command line: tested, kept apart, used, listed and removed. */

import { expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "#lib/json.ts"
import { openSimulator } from "#sim/server.ts"
import { openRouterMock } from "../../kit/router-mock.ts"
import { asScenario, openPlace, type Place, runCodewright, type RunOptions } from "../../kit/run-codewright.ts"

const good = "sk-good-0000abcd"
const keyFile = (place: Place): string => join(place.state, "key.json")
/** Nothing answers on these addresses, whatever runs on this machine. */
const alone = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined, OLLAMA_HOST: "127.0.0.1:9" }

interface KeyedServer extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly string[]
}

/** Chat Completions for whoever has the key. */
async function openKeyed(replies: NonNullable<RunOptions["scenario"]> = []): Promise<KeyedServer> {
  const opened = await openSimulator({ scenario: asScenario(replies) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const simulator = opened.value
  const seen: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const key = request.headers.get("authorization")?.replace("Bearer ", "") ?? ""
      seen.push(`${pathname} ${key}`)
      if (key !== good) return Response.json({ error: { message: `Incorrect API key: ${key}` } }, { status: 401 })
      return fetch(`${simulator.url}${pathname}`, {
        method: request.method,
        headers: request.headers,
        ...(request.method === "POST" && { body: await request.arrayBuffer() }),
      })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    seen,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
      await simulator.close()
    },
  }
}

test.concurrent(
  "a key for another provider is tested there, kept for the user alone beside the others, and used",
  async () => {
    using place = openPlace()
    await using openai = await openKeyed(["Hello."])
    const env = { ...alone, OPENAI_BASE_URL: openai.url }
    place.write(keyFile(place), JSON.stringify({ version: 1, apiKey: "sk-ant-1" }))
    const wrong = await runCodewright({ place, argv: ["login", "openai"], stdin: "sk-wrong-12345678", env })
    expect(wrong).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "error: OpenAI rejected this key (401). The key was not saved.\n",
    })
    const login = await runCodewright({ place, argv: ["login", "openai"], stdin: `${good}\n`, env })
    expect(login).toMatchObject({
      code: 0,
      stdout: `OpenAI accepted the key. Saved to ${keyFile(place)}.\n`,
      stderr: "",
    })
    expect(JSON.parse(readFileSync(keyFile(place), "utf8"))).toEqual({
      version: 1,
      apiKey: "sk-ant-1",
      providers: { openai: { apiKey: good, baseUrl: openai.url } },
    })
    expect(statSync(keyFile(place)).mode & 0o777).toBe(0o600)
    const asked = await runCodewright({ place, argv: ["-p", "hi", "--model", "openai/gpt-5"], env })
    expect(asked).toMatchObject({ code: 0, stdout: "Hello.\n", stderr: "" })
    expect(openai.seen).toEqual(["/v1/models sk-wrong-12345678", `/v1/models ${good}`, `/v1/chat/completions ${good}`])
  },
)

test.concurrent("a saved key goes to the address it was given for, and to no other", async () => {
  using place = openPlace()
  await using openai = await openKeyed()
  const providers = { openai: { apiKey: good, baseUrl: "https://api.openai.com/v1" } }
  place.write(keyFile(place), JSON.stringify({ version: 1, providers }))
  const env = { ...alone, OPENAI_BASE_URL: openai.url }
  const run = await runCodewright({ place, argv: ["-p", "hi", "--model", "openai/gpt-5"], env })
  expect(run.code).not.toBe(0)
  expect(run.stderr).toContain("needs a key for OpenAI")
  expect(openai.seen).toEqual([])
})

test.concurrent("an address that is none matters only to who would use it", async () => {
  const env = { OPENAI_BASE_URL: "not an address" }
  expect(await runCodewright({ argv: ["-p", "hi"], env, scenario: ["Hello."] })).toMatchObject({ stdout: "Hello.\n" })
  const keyed = await runCodewright({ argv: ["-p", "hi"], env: { ...env, OPENAI_API_KEY: "k" } })
  expect(keyed.stderr).toBe(
    "error: OPENAI_BASE_URL is not an address: not an address. It starts with http:// or https://.\n",
  )
})

test.concurrent("a rejected key is named with its place and how to change it, and never repeated", async () => {
  using place = openPlace()
  await using openai = await openKeyed()
  const bad = "sk-bad-secret-00009999"
  place.write(keyFile(place), JSON.stringify({ providers: { openai: { apiKey: bad, baseUrl: openai.url } } }))
  const env = { ...alone, OPENAI_BASE_URL: openai.url }
  const saved = await runCodewright({ place, argv: ["-p", "hi", "--model", "openai/gpt-5"], env })
  expect(saved.stdout).toBe(
    `API Error: 401 The key in ${keyFile(place)} (…9999) was rejected (401). Incorrect API key:****. codewright login openai to change the key.\n`,
  )
  const variable = { ...env, OPENAI_API_KEY: "sk-env-secret-00001234" }
  const written = await runCodewright({ place, argv: ["-p", "hi", "--model", "openai/gpt-5"], env: variable })
  expect(written.stdout).toBe(
    "API Error: 401 The key in OPENAI_API_KEY (…1234) was rejected (401). Incorrect API key:****. Change the variable.\n",
  )
  expect(`${saved.stdout}${saved.stderr}${written.stdout}${written.stderr}`).not.toMatch(/sk-(bad|env)-secret/)
})

test.concurrent("the models of OpenRouter are public, so a key for it is tested elsewhere", async () => {
  using place = openPlace()
  await using router = openRouterMock()
  place.write(
    join(place.state, "settings.json"),
    JSON.stringify({ providers: { openrouter: { baseUrl: router.baseUrl } } }),
  )
  const wrong = await runCodewright({ place, argv: ["login", "openrouter"], stdin: "sk-or-wrong-1", env: alone })
  expect(wrong.stderr).toBe("error: OpenRouter rejected this key (401). The key was not saved.\n")
  const right = await runCodewright({ place, argv: ["login", "openrouter"], stdin: router.key, env: alone })
  expect(right.stdout).toBe(`OpenRouter accepted the key. Saved to ${keyFile(place)}.\n`)
  expect(router.seen).toEqual(["GET /api/v1/key sk-or-wrong-1", `GET /api/v1/key ${router.key}`])
})

test.concurrent("logout names whose key it removed and whose are left", async () => {
  using place = openPlace()
  const kept = (name: string): object => ({ [name]: { apiKey: `sk-${name}-1234`, baseUrl: `https://${name}` } })
  const providers = { ...kept("openai"), ...kept("groq"), ...kept("gone") }
  place.write(keyFile(place), JSON.stringify({ apiKey: "sk-ant-1", providers }))
  const logout = async (...argv: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runCodewright({ place, argv: ["logout", ...argv], env: alone })
    return `${stdout}${stderr}`
  }
  expect(await logout("gone")).toBe(
    `Removed the key for gone from ${keyFile(place)}. Still saved: anthropic, openai, groq.\n`,
  )
  expect(await logout("groq")).toBe(
    `Removed the key for Groq from ${keyFile(place)}. Still saved: anthropic, openai.\n`,
  )
  expect(await logout("groq")).toBe(
    `There is no saved key for Groq in ${keyFile(place)}. Still saved: anthropic, openai.\n`,
  )
  expect(await logout()).toBe(`Removed the key for Anthropic from ${keyFile(place)}. Still saved: openai.\n`)
  expect(await logout("ollama")).toStartWith("error: Ollama needs no key.")
  expect(await logout("bedrock")).toStartWith("error: Amazon Bedrock takes no key here: set CLAUDE_CODE_USE_BEDROCK=1")
  expect(await logout("nobody")).toStartWith("error: There is no provider of that name. Known: anthropic, openai,")
  expect(await logout()).toBe(`Removed the key for OpenAI from ${keyFile(place)}.\n`)
})

test.concurrent("login --status lists what was found, what is missing, and the servers that answer", async () => {
  using place = openPlace()
  const opened = await openSimulator()
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, close, requests } = opened.value
  const page = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>") })
  place.write(
    join(place.state, "settings.json"),
    JSON.stringify({
      providers: {
        mine: { baseUrl: `${url}/v1` },
        page: { baseUrl: `http://127.0.0.1:${page.port}/v1` },
        far: { baseUrl: "https://far.invalid/v1" },
      },
    }),
  )
  place.write(
    keyFile(place),
    JSON.stringify({ providers: { groq: { apiKey: "sk-groq-00001234", baseUrl: "https://api.groq.com/openai/v1" } } }),
  )
  const env = { ...alone, OLLAMA_HOST: url, MISTRAL_API_KEY: "mistral-secret-wxyz" }
  const { stdout, code } = await runCodewright({ place, argv: ["login", "--status"], env })
  const pageUrl = `http://127.0.0.1:${page.port}/v1`
  await page.stop(true)
  await close()
  expect(code).toBe(0)
  const groups = Object.fromEntries(
    stdout
      .trimEnd()
      .split(/\n(?! )/)
      .map((group) => {
        const [title = "", ...rows] = group.split("\n")
        return [title, rows.map((row) => row.trim().replaceAll(/ {2,}/g, ": "))]
      }),
  )
  expect(groups["Ready"]).toEqual([
    `mine: 6 models at ${url}/v1`,
    "far: https://far.invalid/v1",
    `Groq: key in ${keyFile(place)} (…1234)`,
    "Mistral: key in MISTRAL_API_KEY (…wxyz)",
    `Ollama: 6 models at ${url}/v1`,
  ])
  expect(groups["Need a key"]?.[0]).toMatch(/^Anthropic: set ANTHROPIC_API_KEY, or run \S*codewright login anthropic$/)
  expect(groups["Not running"]).toContain(`page: no server at ${pageUrl}`)
  expect(stdout).not.toContain("secret")
  expect(requests.every(({ path }) => !path.includes("chat"))).toBe(true)
})

test.concurrent("a run without a screen asks no server whether it is there", async () => {
  using place = openPlace()
  let asked = 0
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      asked++
      return Response.json({ data: [] })
    },
  })
  const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` }
  const run = await runCodewright({ place, argv: ["-p", "/model"], env })
  expect(run.code).toBe(0)
  expect((await runCodewright({ place, argv: ["-p", "hi"], env, scenario: ["Hello."] })).stdout).toBe("Hello.\n")
  await server.stop(true)
  expect(asked).toBe(0)
})

test.concurrent(
  "main, small, plan, subagent and fallback models are of different providers in one session",
  async () => {
    using place = openPlace()
    const open = async (
      name: string,
    ): Promise<{ url: string; models: () => readonly string[]; close: () => Promise<void> }> => {
      const opened = await openSimulator({
        scenario: (request) =>
          name === "main" && JSON.stringify(request.messages).includes("ask another") && request.messages.length === 1
            ? {
                content: [
                  {
                    tool: "Agent",
                    input: { description: "look", prompt: "look around", subagent_type: "general-purpose" },
                  },
                ],
              }
            : { content: `${name} says hi.` },
      })
      if (!opened.ok) throw new Error(opened.failure.message)
      const { url, requests, close } = opened.value
      return {
        url,
        close,
        models: () => requests.map(({ body, path }) => `${path} ${isObject(body) ? String(body.model) : ""}`),
      }
    }
    const [main, openai, groq] = await Promise.all([open("main"), open("openai"), open("groq")])
    place.write(
      join(place.state, "settings.json"),
      JSON.stringify({
        model: "ollama/qwen3",
        subagentModel: "openai/gpt-5",
        planModel: "groq/planner",
        smallModel: "openai/gpt-5-mini",
        fallbackModel: ["groq/one", "claude-sonnet-5"],
        providers: { groq: { baseUrl: `${groq.url}/v1` } },
      }),
    )
    const env = {
      OLLAMA_HOST: main.url,
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: `${openai.url}/v1`,
      GROQ_API_KEY: "k",
    }
    const agents = await runCodewright({ place, argv: ["-p", "ask another"], env })
    expect(agents).toMatchObject({ code: 0, stdout: "main says hi.\n", requests: [] })
    const plan = await runCodewright({ place, argv: ["-p", "plan it", "--permission-mode", "plan"], env })
    expect(plan.stdout).toBe("groq says hi.\n")
    expect(main.models()).toEqual(Array<string>(2).fill("/v1/chat/completions qwen3"))
    expect(openai.models()).toEqual(["/v1/chat/completions gpt-5"])
    expect(groq.models()).toEqual(["/v1/chat/completions planner"])
    await Promise.all([main, openai, groq].map(({ close }) => close()))
  },
)

test.concurrent("fallback models are tried in their order, across providers, and each must be usable", async () => {
  using place = openPlace()
  const opened = await openSimulator({ scenario: asScenario(["From Ollama."]) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, close } = opened.value
  const busy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ error: { message: "busy", type: "overloaded_error" } }, { status: 529 }),
  })
  const env = {
    OLLAMA_HOST: url,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `http://127.0.0.1:${busy.port}/v1`,
    CODEWRIGHT_MAX_RETRIES: "0",
  }
  const argv = ["-p", "hi", "--model", "openai/a", "--fallback-model", "openai/b, ollama/qwen3"]
  const run = await runCodewright({ place, argv, env })
  expect(run).toMatchObject({ code: 0, stdout: "From Ollama.\n" })
  const missing = await runCodewright({
    place,
    argv: ["-p", "hi", "--fallback-model", "sonnet,groq/x"],
    env,
  })
  expect(missing.code).not.toBe(0)
  expect(missing.stderr).toContain("The model groq/x needs a key for Groq. Set GROQ_API_KEY, or run ")
  await busy.stop(true)
  await close()
})
