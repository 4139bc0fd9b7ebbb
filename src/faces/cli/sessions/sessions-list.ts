/** `codewright sessions list` and `search`. */

import { type Catalog, type FoundSession, type Scope, withCatalog } from "#ground/transcript/catalog.ts"
import { optional } from "#lib/optional.ts"
import { readNumber } from "#faces/cli/flags/numbers.ts"
import { sessionLine } from "./session-line.ts"
import type { SessionsCall } from "./sessions-call.ts"

export async function listSessions(call: SessionsCall): Promise<number> {
  if (call.words.length > 0)
    return call.io.fail("list takes no arguments. To search sessions: codewright sessions search <words>")
  return answer(call, {
    ask: (catalog, scope) => catalog.list(scope),
    line: (row) => sessionLine(row, { withFolder: call.args.has("all") }),
    none: call.args.has("all") ? "No sessions." : "No sessions in this folder. Use --all for other folders.",
  })
}

export async function searchSessions(call: SessionsCall): Promise<number> {
  const words = call.words.join(" ")
  if (words.trim() === "") return call.io.fail("search needs words to find, such as: codewright sessions search parser")
  return answer<FoundSession>(call, {
    ask: (catalog, scope) => catalog.search(words, scope),
    line: (row) =>
      `${sessionLine(row, { withFolder: call.args.has("all") })}\n    ${row.passage.kind}: ${marked(row.passage.text)}`,
    none: `No session${call.args.has("all") ? "" : " in this folder"} has all of: ${words}${call.args.has("all") ? "" : ". Use --all to search other folders"}`,
  })
}

async function answer<Row>(
  { args, where, io }: SessionsCall,
  parts: {
    readonly ask: (catalog: Catalog, scope: Scope) => Promise<readonly Row[]>
    readonly line: (row: Row) => string
    readonly none: string
  },
): Promise<number> {
  const limit = readNumber("--limit", args.value("limit") ?? "20", { least: 1, most: 100_000, whole: true })
  if (!limit.ok) return io.fail(limit.failure)
  const scope: Scope = { limit: limit.value, ...optional("cwd", args.has("all") ? undefined : where.cwd) }
  const rows = await withCatalog({ file: where.catalog, projects: where.projects }, (catalog) =>
    parts.ask(catalog, scope),
  )
  if (args.has("json")) io.write(`${JSON.stringify(rows, null, 2)}\n`)
  else if (rows.length === 0) io.say(parts.none)
  else io.say(rows.map(parts.line).join("\n"))
  return 0
}

const marked = (text: string): string =>
  text.replaceAll("\u0001", "[").replaceAll("\u0002", "]").replaceAll(/\s+/g, " ")
