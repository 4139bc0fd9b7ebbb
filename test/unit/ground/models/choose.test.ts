import { expect, test } from "bun:test"
import { chooseProvider } from "#ground/models/choose.ts"
import { ok } from "#lib/result.ts"

test("without a key or an address the simulator answers", () => {
  expect(chooseProvider({})).toEqual({ kind: "simulator" })
  expect(chooseProvider({ apiKey: "", baseUrl: "", model: "opus" })).toEqual({ kind: "simulator" })
})

test("a key, a token, a key command or an address means the provider", () => {
  const baseUrl = "https://api.anthropic.com"
  const readKey = async () => ok("k")
  expect(chooseProvider({ apiKey: "k" })).toEqual({ kind: "anthropic", baseUrl, apiKey: "k" })
  expect(chooseProvider({ authToken: "t", headers: { a: "b" } })).toEqual({
    kind: "anthropic",
    baseUrl,
    authToken: "t",
    headers: { a: "b" },
  })
  expect(chooseProvider({ readKey })).toEqual({ kind: "anthropic", baseUrl, readKey })
  expect(chooseProvider({ baseUrl: "http://127.0.0.1:1" })).toEqual({
    kind: "anthropic",
    baseUrl: "http://127.0.0.1:1",
  })
})

test("whoever asks for the simulator gets it, key or not", () => {
  expect(chooseProvider({ apiKey: "k", model: "sim/demo" })).toEqual({ kind: "simulator" })
})
