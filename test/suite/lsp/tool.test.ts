/** The tool that asks a language server, with a real one. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { servers as mcpServers, wayward as mcpWayward } from "../../kit/mcp/servers.ts"
import { clangd, lspOf, wayward } from "../../kit/lsp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"

setDefaultTimeout(300_000)

const source = "int twice(int n) { return n + n; }\nint four(void) { return twice(2); }\n"

test("definition, references, hover, symbols and a rename that changes nothing", async () => {
  const at = { filePath: "a.c", line: 2, symbol: "twice" }
  await using t = await openTestSession({
    files: { "a.c": source },
    script: [
      calls(
        use("LSP", { operation: "goToDefinition", ...at }),
        use("LSP", { operation: "findReferences", ...at }),
        use("LSP", { operation: "hover", ...at }),
        use("LSP", { operation: "documentSymbol", filePath: "a.c" }),
        use("LSP", { operation: "rename", ...at, newName: "doubled" }),
        use("LSP", { operation: "hover", filePath: "a.c", line: 9, symbol: "x" }),
        use("LSP", { operation: "hover", filePath: "b.rb", line: 1, symbol: "x" }),
      ),
      calls(use("LSP", { operation: "workspaceSymbol", query: "four" })),
      says("Done."),
    ],
    mode: "plan",
    place: { trusted: true },
    lsp: lspOf(clangd),
  })
  await t.prompt("go")
  const results = t.results().map(({ content }) => String(content))
  expect(results[0]).toBe("a.c:1:5  int twice(int n) { return n + n; }")
  expect(results[1]?.split("\n")).toHaveLength(2)
  expect(results[2]).toContain("int twice(int n)")
  expect(results[3]).toBe("function twice  1\nfunction four  2")
  expect(results[4]).toContain("would change 2 places in 1 file.")
  expect(results[4]).toContain("2 + int four(void) { return doubled(2); }")
  expect(results[5]).toContain("has only 3 lines")
  expect(results[6]).toMatch(/b\.rb/)
  expect(results[7]).toContain("function four")
  expect(t.read("a.c")).toBe(source)
})

test("where tools come late, it is one of them", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "word\n" },
    script: [
      calls(use("LSP", { operation: "findReferences", filePath: "a.txt", line: 1, symbol: "word" })),
      says("Done."),
    ],
    place: { trusted: true },
    mcp: mcpServers([mcpWayward("wayward")]),
    lsp: lspOf(wayward("good")),
  })
  await t.prompt("go")
  expect(String(t.results()[0]?.content)).toContain("a.txt:1:1  word")
})

test("it is offered only where a server knows the project", async () => {
  for (const [file, isOffered] of [
    ["a.txt", true],
    ["a.md", false],
  ] as const) {
    await using t = await openTestSession({
      files: { [file]: "x" },
      script: [says("Done.")],
      place: { trusted: true },
      lsp: lspOf(wayward("good")),
    })
    await t.prompt("go")
    expect(JSON.stringify(t.simulator.requests[0]?.body).includes('"LSP"')).toBe(isOffered)
  }
})
