import { expect, test } from "bun:test"
import fc from "fast-check"
import { serverNames, toolNames } from "#kits/mcp/names.ts"

const all = (names: ReadonlyMap<string, string>): readonly string[] => [...names.values()]

test("plain names stay as they are, others are told apart by a hash of the original", () => {
  expect(toolNames("git", ["status", "log"])).toEqual(
    new Map([
      ["status", "mcp__git__status"],
      ["log", "mcp__git__log"],
    ]),
  )
  const alike = toolNames("git", ["a.b", "a/b", "a_b"])
  expect(alike.get("a_b")).toBe("mcp__git__a_b")
  expect(alike.get("a.b")).toMatch(/^mcp__git__a_b_[0-9a-f]{8}$/)
  expect(new Set(all(alike)).size).toBe(3)
})

test("the name of a server never holds what ends it", () => {
  expect(all(serverNames(["my server", "a__b", "__", "ok"]))).toEqual(["my_server", "a_b", "server", "ok"])
})

test("a name that is made to look like another server's, or like one that was shortened, stays apart", () => {
  const long = `${"a".repeat(26)}_${"b".repeat(40)}`
  const shortened = serverNames([long]).get(long) ?? ""
  expect(shortened).not.toContain("__")
  const both = serverNames([long, shortened])
  expect(both.get(shortened)).toBe(shortened)
  expect(both.get(long)).not.toBe(shortened)
  expect(all(toolNames("git", ["_".repeat(80)]))[0]).toStartWith("mcp__git__")
  // Whatever a server calls its tools, they begin with its own name and the end of it.
  expect(all(toolNames("a", ["b__c", "Bash", "mcp__b__c", "_b__c"]))).toEqual([
    "mcp__a__b__c",
    "mcp__a__Bash",
    "mcp__a__mcp__b__c",
    "mcp__a___b__c",
  ])
})

const anyNames = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 120, unit: "grapheme" }), { maxLength: 20 })

test("property: names are taken by providers, never alike, and do not depend on the order", () => {
  fc.assert(
    fc.property(anyNames, anyNames, (servers, tools) => {
      const prefixes = serverNames(servers)
      expect(new Set(all(prefixes)).size).toBe(servers.length)
      for (const prefix of all(prefixes)) expect(prefix).not.toContain("__")
      const names = [...prefixes.values()].flatMap((prefix) => all(toolNames(prefix, tools)))
      expect(new Set(names).size).toBe(servers.length * tools.length)
      for (const name of names) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/)
      const reversed = toolNames("server", tools.toReversed())
      for (const [tool, name] of toolNames("server", tools)) expect(reversed.get(tool)).toBe(name)
    }),
  )
})
