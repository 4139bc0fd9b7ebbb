/** WebSearch: through the search service that the settings name, in the whole program. */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadLog } from "#ground/transcript/load.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { resultIn, toolsIn } from "../../kit/sent.ts"

test("a search gives titles, addresses and snippets, of wanted sites only; without a service there is no such tool", async () => {
  const queries: string[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      queries.push(`${pathname} ${searchParams.get("q")} ${searchParams.get("format")}`)
      return Response.json({
        results: [
          { title: "Bun docs", url: "https://bun.sh/docs", content: "All about\nBun" },
          { title: "Forum", url: "https://forum.example/1", content: "" },
        ],
      })
    },
  })
  using place = openPlace()
  mkdirSync(place.state)
  const settings = { webSearch: { endpoint: `http://127.0.0.1:${server.port}` } }
  writeFileSync(join(place.state, "settings.json"), JSON.stringify(settings))
  const search = (input: { readonly [field: string]: string | readonly string[] }) => ({
    content: [{ tool: "WebSearch", input: { query: "bun test", ...input } }],
  })
  const run = await runCodewright({
    place,
    argv: ["-p", "search", "--allowed-tools", "WebSearch"],
    scenario: [search({}), search({ blocked_domains: ["bun.sh"] }), search({ allowed_domains: ["npm.im"] }), "Found."],
  })
  await server.stop(true)
  expect(run).toMatchObject({ code: 0, stdout: "Found.\n" })
  expect(run.requests.slice(1).map(resultIn)).toEqual([
    "1. Bun docs\n   https://bun.sh/docs\n   All about Bun\n2. Forum\n   https://forum.example/1",
    "1. Forum\n   https://forum.example/1",
    'Nothing was found for "bun test". Try other words, or fewer restrictions.',
  ])
  expect(queries).toEqual(["/search bun test json", "/search bun test json", "/search bun test site:npm.im json"])
  expect(displaysIn(place.state)).toEqual([
    { kind: "list", items: ["Bun docs: https://bun.sh/docs", "Forum: https://forum.example/1"] },
    { kind: "list", items: ["Forum: https://forum.example/1"] },
    { kind: "list", items: [] },
  ])
  const without = await runCodewright({ argv: ["-p", "search"], scenario: ["No."] })
  expect(toolsIn(run.requests[0])).toContain("WebSearch")
  expect(toolsIn(without.requests[0])).not.toContain("WebSearch")
})

function displaysIn(state: string): readonly unknown[] {
  const [log = ""] = new Bun.Glob("projects/*/*.jsonl").scanSync({ cwd: state, absolute: true })
  const loaded = loadLog(log)
  if (!loaded.ok) throw new Error(`the log cannot be read: ${loaded.failure.kind}`)
  return loaded.value.entries.flatMap((entry) => (entry.kind === "result" ? [entry.display] : []))
}
