import { expect, test } from "bun:test"
import fc from "fast-check"
import type { JsonValue } from "#lib/json.ts"
import { expandServer, fingerprintOf, readServer, unsetWords } from "#ground/mcp/read-config.ts"
import type { McpServerConfig } from "#ground/mcp/server-config.ts"

const read = (value: JsonValue): McpServerConfig => {
  const got = readServer(value)
  if (!got.ok) throw new Error(got.failure)
  return got.value
}

test("programs and addresses are told apart by their type, or by what they have", () => {
  expect(read({ command: "npx", args: ["-y", "x"], env: { A: "1", B: 2, C: true } })).toEqual({
    kind: "stdio",
    command: "npx",
    args: ["-y", "x"],
    env: { A: "1", B: "2", C: "true" },
  })
  expect(read({ type: "sse", url: "https://a.example/sse" })).toEqual({
    kind: "sse",
    url: "https://a.example/sse",
    headers: {},
  })
  expect(read({ url: "https://a.example", headers: { X: "y" }, headersHelper: "h" })).toEqual({
    kind: "http",
    url: "https://a.example",
    headers: { X: "y" },
    headersHelper: "h",
  })
  expect(read({ type: "streamable-http", url: "https://a.example" }).kind).toBe("http")
})

test("what cannot be a server is told in words", () => {
  const wrong: readonly JsonValue[] = [
    null,
    "npx",
    [],
    {},
    { command: 1 },
    { command: " " },
    { command: "a", args: "b" },
    { command: "a", args: [1] },
    { command: "a", env: ["X=1"] },
    { command: "a", env: { X: {} } },
    { type: "http" },
    { type: "http", url: "" },
    { type: "http", url: "https://a.example", headers: "X: y" },
    { type: "http", url: "https://a.example", headersHelper: ["h"] },
    { type: "ws", url: "wss://a.example" },
    { type: "sdk", name: "x" },
  ]
  for (const value of wrong)
    expect(readServer(value)).toEqual({ ok: false, failure: expect.stringMatching(/^\S.*\.$/) })
})

test("variables are filled in, defaults too, and one that is not set stays and is named, but not in an address", () => {
  const config = read({
    command: "${BIN:-node}",
    args: ["--key=${KEY}", "$KEY", "${ODD-}"],
    env: { A: "${KEY}${EMPTY:-}" },
  })
  expect(expandServer(config, { KEY: "k" })).toEqual({
    ok: true,
    value: { kind: "stdio", command: "node", args: ["--key=k", "$KEY", "${ODD-}"], env: { A: "k" } },
  })
  const without = expandServer(config, {})
  expect(without).toEqual({
    ok: true,
    value: { kind: "stdio", command: "node", args: ["--key=${KEY}", "$KEY", "${ODD-}"], env: { A: "${KEY}" } },
  })
  expect(without.ok && unsetWords("db", without.value)).toBe(
    "The MCP server db needs KEY, which is not set. It is started without it.",
  )
  expect(unsetWords("db", read({ command: "x", args: ["$KEY"] }))).toBeUndefined()
  expect(expandServer(read({ url: "${URL}/mcp", headers: { A: "${T}" } }), {})).toEqual({
    ok: false,
    failure: "It needs URL and T, which are not set.",
  })
  expect(expandServer(read({ url: "file:///etc/passwd" }), {}).ok).toBe(false)
})

test("what is approved is all of it, as it is written", () => {
  const base = { command: "a", args: ["b"], env: { KEY: "1" } }
  const print = (value: JsonValue): string => fingerprintOf(read(value))
  expect(print({ env: { KEY: "1" }, args: ["b"], command: "a" })).toBe(print(base))
  for (const other of [
    { ...base, env: { KEY: "2" } },
    { ...base, command: "c" },
    { ...base, args: ["b", "c"] },
    { ...base, env: { KEY: "1", PATH: "/x" } },
  ])
    expect(print(other)).not.toBe(print(base))
  const far = { url: "https://a.example", headers: { T: "1" } }
  for (const other of [
    { ...far, headers: { T: "2" } },
    { ...far, url: "https://b.example" },
    { ...far, headersHelper: "h" },
    { ...far, type: "sse" },
  ])
    expect(print(other)).not.toBe(print(far))
})

test("property: whatever a file holds, it is a server or a sentence", () => {
  const field = fc.constantFrom("type", "command", "args", "env", "url", "headers", "headersHelper")
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue())), (value) => {
      const got = readServer(value as JsonValue)
      if (got.ok) expect(["stdio", "http", "sse"]).toContain(got.value.kind)
      else expect(got.failure.length).toBeGreaterThan(10)
    }),
  )
})
