import { expect, test } from "bun:test"
import { openSearch, type SearchSource } from "#ground/web/search.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok } from "#lib/result.ts"
import { patient } from "./local-site.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const anywhere = { allowedDomains: [], blockedDomains: [] }

function serve(answer: (url: URL) => Response): Disposable & { readonly at: string; readonly asked: string[] } {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const url = new URL(request.url)
      asked.push(url.pathname + url.search)
      return answer(url)
    },
  })
  return { at: `http://127.0.0.1:${server.port}`, asked, [Symbol.dispose]: () => void server.stop(true) }
}

function open(endpoint: string): SearchSource {
  const opened = openSearch({ endpoint, clock: systemClock, network: directNetwork() })
  if (!opened.ok) throw new Error(opened.failure)
  return opened.value
}

test("hits come as title, address and snippet; what is none is left out", async () => {
  using engine = serve(() =>
    Response.json({
      query: "x",
      results: [
        { title: "One", url: "https://example.com/1", content: "about one", engine: "e" },
        { title: "Two", url: "http://example.org/2" },
        { title: "No address" },
        { title: "Bad", url: "javascript:alert(1)" },
        "nothing",
      ],
    }),
  )
  expect(await open(engine.at).search("how to & why?", anywhere, patient)).toEqual(
    ok({
      hits: [
        { title: "One", url: "https://example.com/1", snippet: "about one" },
        { title: "Two", url: "http://example.org/2", snippet: "" },
      ],
    }),
  )
  expect(engine.asked).toEqual(["/search?q=how+to+%26+why%3F&format=json"])
})

test.each([
  ["", "/search"],
  ["/", "/search"],
  ["/searx/", "/searx/search"],
  ["/search", "/search"],
  ["/?language=de", "/search"],
])("an endpoint written as %j is asked at %s", async (suffix, path) => {
  using engine = serve(() => Response.json({ results: [] }))
  await open(engine.at + suffix).search("a", anywhere, patient)
  expect(engine.asked[0]?.split("?")[0]).toBe(path)
  expect(engine.asked[0]).toContain(suffix.includes("language") ? "language=de&q=a" : "?q=a")
})

test("one site that is wanted becomes part of the question", async () => {
  using engine = serve(() => Response.json({ results: [] }))
  const { search } = open(engine.at)
  await search("a", { allowedDomains: ["example.com"], blockedDomains: [] }, patient)
  await search("a", { allowedDomains: ["example.com", "example.org"], blockedDomains: [] }, patient)
  expect(engine.asked).toEqual(["/search?q=a+site%3Aexample.com&format=json", "/search?q=a&format=json"])
})

test.each([
  [() => new Response("Forbidden", { status: 403 }), "search.formats must list json"],
  [() => new Response("<html>", { headers: { "content-type": "text/html" } }), "did not answer with results in JSON"],
  [() => Response.json({ answer: 42 }), "did not answer with results in JSON"],
  [() => new Response(new Uint8Array(3)), "did not answer with results in JSON"],
  [() => Response.redirect("https://other.example/search"), "redirects to https://other.example/search"],
  [() => new Response("slow down", { status: 429 }), "status 429"],
])("an engine that does not work (%#)", async (answer, words) => {
  using engine = serve(answer)
  expect(await open(engine.at).search("a", anywhere, patient)).toEqual(failed(expect.stringContaining(words)))
})

test("an address that is none is refused when it is opened", () => {
  expect(openSearch({ endpoint: "search.example", clock: systemClock, network: directNetwork() })).toEqual(
    failed(expect.stringContaining("The search endpoint cannot be used.")),
  )
})

test("an engine that is not there, and an interruption", async () => {
  const gone = serve(() => new Response())
  gone[Symbol.dispose]()
  expect(await open(gone.at).search("a", anywhere, patient)).toEqual(
    failed(expect.stringContaining("connection refused")),
  )
  const stop = new AbortController()
  stop.abort()
  expect((await open(gone.at).search("a", anywhere, stop.signal)).ok).toBe(false)
})
