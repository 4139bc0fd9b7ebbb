/** Searches the web through the model provider or through the user's own search endpoint. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { reaches } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import type { SearchHit, SearchOptions, SearchSource } from "#ground/web/search.ts"
import type { Clock } from "#lib/clock.ts"
import { readableOutput } from "#lib/readable-output.ts"

export interface WebSearchGround {
  readonly clock: Clock
  /** The provider's own search, which is preferred where there is one. */
  readonly provider?: SearchSource | undefined
  /** The configured endpoint. */
  readonly endpoint?: SearchSource | undefined
}

export interface WebSearchInput {
  readonly query: string
  readonly allowed_domains?: string[] | undefined
  readonly blocked_domains?: string[] | undefined
}

const mostHits = 10
const mostCharacters = 300

const input = shape.object({
  query: shape.string().min(2),
  allowed_domains: shape.array(shape.string()).optional().describe("Only these sites"),
  blocked_domains: shape.array(shape.string()).optional().describe("Not these sites"),
})

/** The tool; none when nothing is there to search with. */
export function webSearchTool({ clock, provider, endpoint }: WebSearchGround): Tool<WebSearchInput> | undefined {
  const source = provider ?? endpoint
  if (source === undefined) return undefined
  return defineTool({
    name: "WebSearch",
    description,
    input,
    title: ({ query }) => `WebSearch ${query}`,
    footprint: () => reaches(source.address),
    async run(call, { signal }) {
      const startedAt = clock.now()
      const options: SearchOptions = {
        allowedDomains: domainsOf(call.allowed_domains),
        blockedDomains: domainsOf(call.blocked_domains),
      }
      const found = await source.search(call.query, options, signal)
      if (signal.aborted) return refused("Interrupted before the search was done.")
      if (!found.ok) return refused(found.failure)
      return show(call.query, chosen(found.value, options), (clock.now() - startedAt) / 1000)
    },
  })
}

const description = `Searches the web; gives titles, addresses and snippets, at most ${mostHits}. For what may be newer than you, or is not in the repository: current versions, documentation, error messages. Read a result with WebFetch before you rely on it, and name the addresses you used in your answer.`

/** The hits on sites that are wanted, each address once. */
function chosen(hits: readonly SearchHit[], { allowedDomains, blockedDomains }: SearchOptions): readonly SearchHit[] {
  const isOn = (url: string, domains: readonly string[]): boolean => {
    const host = URL.parse(url)?.hostname ?? ""
    return domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
  }
  const wanted = hits.filter(
    ({ url }) => (allowedDomains.length === 0 || isOn(url, allowedDomains)) && !isOn(url, blockedDomains),
  )
  const first = wanted.filter((hit, index) => wanted.findIndex(({ url }) => url === hit.url) === index)
  return first.slice(0, mostHits)
}

/** Models write domains as they think of them: with a scheme, a star, a path. */
function domainsOf(given: readonly string[] = []): readonly string[] {
  return given.flatMap((text) => {
    const plain = text
      .trim()
      .toLowerCase()
      .replace(/^\*?\./, "")
    const host = URL.parse(plain.includes("://") ? plain : `https://${plain}`)?.hostname
    return host ? [host] : []
  })
}

function show(query: string, hits: readonly SearchHit[], durationSeconds: number): Outcome {
  const results = hits.map(({ title, url, snippet }) => ({ title: line(title) || url, url, snippet: line(snippet) }))
  const data = { query, results, durationSeconds }
  if (results.length === 0)
    return answered(`Nothing was found for ${JSON.stringify(query)}. Try other words, or fewer restrictions.`, {
      data,
      display: { kind: "list", items: [] },
    })
  const blocks = results.map(
    ({ title, url, snippet }, index) => `${index + 1}. ${title}\n   ${url}${snippet === "" ? "" : `\n   ${snippet}`}`,
  )
  return answered(blocks.join("\n"), {
    data,
    display: { kind: "list", items: results.map(({ title, url }) => `${title}: ${url}`) },
  })
}

/** What strangers wrote, as one short line. */
function line(text: string): string {
  const plain = readableOutput(text.slice(0, mostCharacters * 4))
    .replace(/\s+/g, " ")
    .trim()
  return plain.length > mostCharacters ? `${plain.slice(0, mostCharacters)}…` : plain
}
