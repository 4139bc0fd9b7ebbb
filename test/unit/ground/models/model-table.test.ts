/** The table of models: whole as it ships, and read in the user's words where it is theirs. */

import { expect, test } from "bun:test"
import { bundledModels } from "#ground/bundled/model-table.ts"
import { aliasIn, merged, modelIn, type ProviderModels, readModelTable } from "#ground/models/model-table.ts"
import { formats } from "#ground/models/formats.ts"
import { openModels } from "#ground/models/router.ts"
import { serverProvider } from "#ground/models/server-provider.ts"
import { seededIds } from "#lib/ids.ts"
import { fakeClock } from "./fake-clock.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const read = (value: unknown): ProviderModels => {
  const one = readModelTable({ providers: { p: value } }, "models.json")
  if (!one.ok) throw new Error(one.failure)
  return one.value.providers["p"] as ProviderModels
}

test("the table that ships is whole: every model reads, every alias has its model, windows hold an answer", () => {
  const bundled = bundledModels()
  const sections = Object.fromEntries(bundled.providers().map((name) => [name, bundled.of(name)]))
  const whole = readModelTable({ providers: sections }, "model-table.jsonl")
  if (!whole.ok) throw new Error(whole.failure)
  const { providers } = whole.value
  expect(bundled.of("nobody")).toBeUndefined()
  expect(bundled.date).toMatch(/^20\d\d-\d\d-\d\d$/)
  expect(Object.keys(providers)).toEqual(
    expect.arrayContaining(["openai", "gemini", "xai", "deepseek", "mistral", "groq", "together", "openrouter"]),
  )
  for (const [name, section] of Object.entries(providers)) {
    expect(Object.keys(section.models).length, name).toBeGreaterThan(2)
    for (const alias of ["default", "opus", "sonnet", "haiku", "small"])
      expect(modelIn(section, aliasIn(section, alias) ?? ""), `${name}/${alias}`).toBeDefined()
    for (const [id, model] of Object.entries(section.models)) {
      const about = `${name}/${id}`
      expect(model.window ?? 0, about).toBeGreaterThan(model.maxOutput ?? Number.POSITIVE_INFINITY)
      expect(typeof model.images, about).toBe("boolean")
      // Nothing is free that does not say so.
      if (model.price) expect(model.price.output > 0 || id.endsWith(":free"), about).toBe(true)
    }
  }
})

test("snapshots are the model they are of; variants can do the same, but their price is not known; siblings are others", () => {
  const price = { input: 1, output: 2 }
  const table = read({ models: { "gpt-5": { window: 9, price } } })
  expect(modelIn(table, "gpt-5-2025-08-07")?.price?.output).toBe(2)
  expect(modelIn(table, "gpt-5-20250807")?.window).toBe(9)
  expect(modelIn(table, "gpt-5:fast")).toEqual({ window: 9 })
  expect(modelIn(table, "gpt-5-mini")).toBeUndefined()
  expect(modelIn(table, "toString")).toBeUndefined()
})

test("what a cache costs is what input costs, unless it is said", () => {
  const table = read({
    models: { a: { price: { input: 3, output: 5, cacheRead: 1, above: { tokens: 9, input: 4, output: 6 } } } },
  })
  expect(modelIn(table, "a")?.price).toEqual({
    input: 3,
    output: 5,
    cacheRead: 1,
    cacheWrite: 3,
    above: { tokens: 9, input: 4, output: 6, cacheRead: 4, cacheWrite: 4 },
  })
})

test("the user's word counts, field by field", () => {
  const shipped = read({ aliases: { default: "a", small: "b" }, models: { a: { window: 9, images: true }, b: {} } })
  const own = read({ aliases: { small: "c" }, models: { a: { window: 8 }, c: { tools: false } } })
  expect(merged(own, shipped)).toEqual({
    aliases: { default: "a", small: "c" },
    models: { a: { window: 8, images: true }, b: {}, c: { tools: false } },
  })
})

test("short names fall back to the size they mean", () => {
  const table = read({ aliases: { default: "big" } })
  expect(["opus", "sonnet", "haiku", "small", "default", "DEFAULT"].map((name) => aliasIn(table, name))).toEqual(
    Array<string>(6).fill("big"),
  )
  expect(aliasIn(read({}), "small")).toBeUndefined()
  expect(aliasIn(table, "other")).toBeUndefined()
})

test.each([
  [[], "models.json must be an object with the field providers."],
  [{ models: {} }, "models.json: Unknown field `models`; models are under providers."],
  [{ providers: [] }, "models.json: providers must be an object, with a field for each provider."],
  [
    { providers: { p: { model: {} } } },
    "models.json: providers.p: Unknown field `model`; it takes models and aliases.",
  ],
  [
    { providers: { p: { models: { m: { windw: 1 } } } } },
    "models.json: providers.p.models.m: Unknown field `windw`; did you mean `window`?",
  ],
  [
    { providers: { p: { aliases: { small: 3 } } } },
    "models.json: providers.p.aliases.small must be the id of a model.",
  ],
])("a mistake is named with its file and field: %j", (value, message) => {
  expect(readModelTable(value, "models.json")).toEqual({ ok: false, failure: message })
})

test("the table is asked for when a model of its provider is, and not before", () => {
  let asked = 0
  const provider = serverProvider({
    name: "p",
    who: "P",
    format: formats["openai-chat"],
    baseUrl: "http://127.0.0.1:1/v1",
    keyHeader: "authorization",
    models: { own: { window: 7 } },
    table() {
      asked++
      return read({ aliases: { small: "b" }, models: { b: { window: 5, price: { input: 1, output: 2 } } } })
    },
    usual: { window: 100, maxOutput: 10 },
    keyWords: () => ({ which: "The key", advice: "" }),
  })
  const models = openModels([provider], { network: directNetwork(), clock: fakeClock(), ids: seededIds(1) })
  expect(Object.keys({ ...models })).toContain("offered")
  models.factsOf("claude-opus-5")
  models.priceOf("claude-opus-5")
  expect(asked).toBe(0)
  expect(models.factsOf("p/small")).toEqual({
    id: "p/small",
    provider: "p",
    window: 5,
    maxOutput: 10,
    images: false,
    documents: false,
    refused: expect.any(Function) as () => readonly string[],
  })
  expect(models.priceOf("p/small")?.output).toBe(2)
  expect(models.priceOf("p/unheard-of")).toBeUndefined()
  expect(models.offered()).toEqual(["p/b", "p/own"])
  expect(asked).toBe(1)
  models.close()
})
