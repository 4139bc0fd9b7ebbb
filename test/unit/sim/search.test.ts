/** The provider's search as the simulator plays it. */

import { expect, test } from "bun:test"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { eventsIn, hello, jsonOf, open, post } from "./open.ts"

const asking = (more: JsonObject = {}): JsonObject => ({
  ...hello,
  tools: [{ type: "web_search_20250305", name: "web_search", ...more }],
})
const bun = { title: "Bun", url: "https://docs.bun.sh/test", page_age: "2 days ago" }
const forum = { title: "Forum", url: "https://forum.example/1" }
const reply: ScenarioReply = {
  content: [
    { search: "bun test", results: [bun, forum] },
    { text: "Run bun test.", cites: [bun] },
  ],
}
const item = ({ title, url, page_age = null }: { title: string; url: string; page_age?: string | null }) => ({
  type: "web_search_result",
  title,
  url,
  page_age,
  encrypted_content: expect.any(String),
})

test("a search is the provider's call, its result and a text with citations; searches are counted", async () => {
  await using sim = await open({ scenario: { replies: [{ ...reply, times: 2 }] } })
  const whole = await jsonOf(await post(sim.url, asking()))
  const cited = {
    type: "web_search_result_location",
    url: bun.url,
    title: "Bun",
    cited_text: "Bun",
    encrypted_index: expect.any(String),
  }
  const used = { type: "server_tool_use", id: expect.stringMatching(/^srvtoolu_/), name: "web_search" }
  expect(whole).toMatchObject({
    stop_reason: "end_turn",
    content: [
      { ...used, input: { query: "bun test" }, caller: { type: "direct" } },
      { type: "web_search_tool_result", tool_use_id: used.id, content: [item(bun), item(forum)] },
      { type: "text", text: "Run bun test.", citations: [cited] },
    ],
    usage: { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
  })
  const events = eventsIn(await (await post(sim.url, { ...asking(), stream: true })).text()).map(({ data }) => data)
  const started = events.filter(({ type }) => type === "content_block_start").map(({ content_block }) => content_block)
  expect(started).toMatchObject([
    { ...used, input: {} },
    { type: "web_search_tool_result", content: [item(bun), item(forum)] },
    { type: "text", text: "", citations: [] },
  ])
  expect(events).toContainEqual({
    type: "content_block_delta",
    index: 2,
    delta: { type: "citations_delta", citation: cited },
  })
  expect(events.at(-2)).toMatchObject({ usage: { server_tool_use: { web_search_requests: 1 } } })
})

const resultsIn = ({ content }: JsonObject): readonly unknown[] =>
  (content as JsonObject[]).filter(({ type }) => type === "web_search_tool_result").map((block) => block.content)

test.each<[JsonObject, readonly string[]]>([
  [{ allowed_domains: ["bun.sh"] }, ["Bun"]],
  [{ allowed_domains: ["bun.sh/other"] }, []],
  [{ allowed_domains: ["docs.bun.sh/test"] }, ["Bun"]],
  [{ blocked_domains: ["bun.sh"] }, ["Forum"]],
  [{ blocked_domains: ["un.sh"] }, ["Bun", "Forum"]],
])("with %j the search stays where it may", async (domains, titles) => {
  await using sim = await open({ scenario: { replies: [reply] } })
  const [found] = resultsIn(await jsonOf(await post(sim.url, asking(domains)))) as [{ title: string }[]]
  expect(found.map(({ title }) => title)).toEqual([...titles])
})

test("a search beyond the allowed number, and one that fails, are errors and cost nothing", async () => {
  const content = [{ search: "a", error: "unavailable" }, { search: "b", results: [forum] }, { search: "c" }, "So."]
  await using sim = await open({ scenario: { replies: [{ content }] } })
  const message = await jsonOf(await post(sim.url, asking({ max_uses: 2 })))
  expect(resultsIn(message)).toEqual([
    { type: "web_search_tool_result_error", error_code: "unavailable" },
    [item(forum)],
    { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
  ])
  expect(message.usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } })
})

test("a scenario that searches without the tool is a mistake in the scenario", async () => {
  await using sim = await open({ scenario: { replies: [reply] } })
  const response = await post(sim.url, hello)
  expect(response.status).toBe(400)
  expect(await jsonOf(response)).toMatchObject({ error: { message: expect.stringContaining("no web_search tool") } })
})

test("the demo says that it cannot search, and makes nothing up", async () => {
  await using sim = await open()
  const message = await jsonOf(await post(sim.url, asking()))
  expect(message).toMatchObject({
    content: [{}, {}, { type: "text", text: expect.stringContaining("I cannot search the web.") }],
    usage: { server_tool_use: null },
  })
  expect(resultsIn(message)).toEqual([{ type: "web_search_tool_result_error", error_code: "unavailable" }])
})
