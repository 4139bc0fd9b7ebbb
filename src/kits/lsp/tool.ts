/** Asks a language server about code: where something is defined and used, what it is, and what a rename would change. */

import { defineTool } from "#agent/words/define-tool.ts"
import { reads } from "#agent/words/footprint.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { answered, complained, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { isForProject } from "#ground/lsp/find-servers.ts"
import type { LanguageClient } from "#ground/lsp/client.ts"
import { changesIn, hoverIn, locationsIn, symbolsIn, uriOf } from "#ground/lsp/protocol.ts"
import { brief, say } from "#ground/workspace/failure.ts"
import type { Files } from "#ground/workspace/files.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Place, Places } from "#ground/workspace/places.ts"
import { decode } from "#ground/workspace/text.ts"
import type { Clock } from "#lib/clock.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import type { LiveServer } from "./live-server.ts"
import { hoverWords, type ResultGround, renameWords, placesWords, symbolsWords } from "./result-words.ts"
import type { ServerAsking, LanguageServers } from "./servers.ts"

export interface LspToolPorts extends ServerAsking {
  readonly servers: () => Promise<LanguageServers>
  readonly files: Files
  readonly paths: Paths
  readonly places: Places
  readonly roots: () => readonly string[]
  readonly isHidden: (path: string) => boolean
  readonly clock: Clock
}

const operations = ["goToDefinition", "findReferences", "hover", "documentSymbol", "workspaceSymbol", "rename"] as const

const input = shape.object({
  operation: shape.choice(operations),
  filePath: shape.string().optional().describe("The file; not needed for workspaceSymbol"),
  line: shape.int().min(1).optional().describe("Line of the symbol, counted from 1"),
  character: shape.int().min(1).optional().describe("Column of the symbol, counted from 1"),
  symbol: shape.string().min(1).optional().describe("The symbol as written in that line, in place of character"),
  query: shape.string().optional().describe("For workspaceSymbol: part of the name"),
  newName: shape.string().min(1).optional().describe("For rename"),
})

export interface LspInput {
  readonly operation: (typeof operations)[number]
  readonly filePath?: string | undefined
  readonly line?: number | undefined
  readonly character?: number | undefined
  readonly symbol?: string | undefined
  readonly query?: string | undefined
  readonly newName?: string | undefined
}

const answerMs = 30_000
const largestFile = 2_000_000

export const lspTool = (ports: LspToolPorts): Tool<LspInput> =>
  defineTool({
    name: "LSP",
    description,
    searchHint: "language server definition references hover symbols rename code intelligence",
    input,
    title: ({ operation, filePath, symbol, query }) =>
      ["LSP", operation, symbol ?? query, filePath === undefined ? undefined : titleOf(ports.paths, filePath)]
        .filter((part) => part !== undefined)
        .join(" "),
    footprint: (call) => reads(ports.places.declare(call, call.filePath ?? ".")),
    async validate(call) {
      const missing = missingIn(call)
      if (missing !== undefined) return missing
      const path = ports.paths.resolve(call.filePath ?? ".")
      return path.ok ? undefined : { message: say(path.failure), shown: brief(path.failure) }
    },
    maxResultChars: 40_000,
    async run(call, { signal }) {
      const late = new AbortController()
      const cancel = ports.clock.after(answerMs, () => late.abort())
      try {
        const within = AbortSignal.any([signal, late.signal])
        const outcome =
          call.operation === "workspaceSymbol"
            ? await findInWorkspace(ports, call, within)
            : await askAboutFile(ports, call, within)
        if (!late.signal.aborted || signal.aborted) return outcome
        return refused(
          `The language server did not answer within ${answerMs / 1000} s. It may still be loading the project: try again later, or use Grep.`,
        )
      } finally {
        cancel()
      }
    },
  })

const description = `Asks the project's language server. goToDefinition, findReferences, hover and rename take filePath, line, and symbol or character; documentSymbol takes filePath; workspaceSymbol takes query. rename only shows what would change: apply it with Edit. Exact where Grep can only guess; errors after your edits are reported without it.`

const titleOf = (paths: Paths, path: string): string => {
  const absolute = paths.resolve(path)
  return absolute.ok ? paths.title(absolute.value) : path
}

function missingIn({ operation, filePath, line, character, symbol, query, newName }: LspInput): string | undefined {
  if (operation === "workspaceSymbol") return query === undefined ? "workspaceSymbol needs query." : undefined
  if (filePath === undefined) return `${operation} needs filePath.`
  if (operation === "documentSymbol") return undefined
  if (line === undefined || (character === undefined && symbol === undefined))
    return `${operation} needs line, and symbol or character.`
  return operation === "rename" && newName === undefined ? "rename needs newName." : undefined
}

const feature = {
  goToDefinition: "definitionProvider",
  findReferences: "referencesProvider",
  hover: "hoverProvider",
  documentSymbol: "documentSymbolProvider",
  workspaceSymbol: "workspaceSymbolProvider",
  rename: "renameProvider",
} as const

async function askAboutFile(ports: LspToolPorts, call: LspInput, signal: AbortSignal): Promise<Outcome> {
  const place = ports.places.toOpen(call, call.filePath ?? "")
  if (!place.ok) return complained({ message: say(place.failure), shown: brief(place.failure) })
  const servers = await ports.servers()
  const server = servers.forFile(place.value.real, ports.roots())
  if (!server) return refused(`No language server is set up for ${place.value.path}. Use Grep and Read.`)
  const opened = await openFile(ports, servers, server, place.value, signal)
  if (!opened.ok) return refused(opened.failure)
  const { client, text } = opened.value
  if (!client.supports(feature[call.operation]))
    return refused(`${server.config.name} does not offer ${call.operation}.`)
  const at = positionIn(text, call)
  if (!at.ok) return refused(at.failure)
  const about = { textDocument: { uri: uriOf(place.value.real) } }
  const answer = await ask(ports, client, requestOf(call, about, at.value), signal)
  if (!answer.ok) return refused(answer.failure)
  const ground = groundOf(ports)
  switch (call.operation) {
    case "goToDefinition":
      return escapedAnswer(await placesWords(locationsIn(answer.value), "No definition was found.", ground, signal))
    case "findReferences":
      return escapedAnswer(await placesWords(locationsIn(answer.value), "No references were found.", ground, signal))
    case "documentSymbol":
      return escapedAnswer(symbolsWords(symbolsIn(answer.value), "The file has no symbols.", ground))
    case "hover": {
      // The text may quote the file in which the symbol is defined.
      const where = await ask(ports, client, ["textDocument/definition", { ...about, position: at.value }], signal)
      const isClosed = where.ok && locationsIn(where.value).some(({ path }) => ports.isHidden(path))
      return isClosed
        ? refused("The symbol is defined in a file that a permission rule hides.")
        : escapedAnswer(hoverWords(hoverIn(answer.value)))
    }
    default:
      return escapedAnswer(await renameWords(changesIn(answer.value), ground, signal))
  }
}

function requestOf({ operation, newName = "" }: LspInput, about: JsonObject, position: JsonObject): LspRequest {
  switch (operation) {
    case "goToDefinition":
      return ["textDocument/definition", { ...about, position }]
    case "findReferences":
      return ["textDocument/references", { ...about, position, context: { includeDeclaration: true } }]
    case "hover":
      return ["textDocument/hover", { ...about, position }]
    case "documentSymbol":
      return ["textDocument/documentSymbol", about]
    default:
      return ["textDocument/rename", { ...about, position, newName }]
  }
}

type LspRequest = readonly [method: string, params: JsonObject]

async function findInWorkspace(ports: LspToolPorts, { query = "" }: LspInput, signal: AbortSignal): Promise<Outcome> {
  const servers = await ports.servers()
  const [root = ""] = ports.roots()
  const live = servers.live().filter((server) => server.root === root && server.isRunning())
  const suited = servers.all.filter((server) => isForProject([server], root)).map((server) => servers.of(server, root))
  const found: JsonValue[] = []
  const failures: string[] = []
  for (const server of new Set([...live, ...suited])) {
    const client = await clientOf(ports, servers, server, signal)
    // What it is still reading it cannot find.
    if (client.ok) await client.value.checked(signal)
    const answer = client.ok ? await ask(ports, client.value, ["workspace/symbol", { query }], signal) : client
    if (!answer.ok) failures.push(`${server.config.name}: ${answer.failure}`)
    else if (Array.isArray(answer.value)) found.push(...answer.value)
  }
  if (found.length === 0 && failures.length > 0) return refused(failures.join("\n"))
  return escapedAnswer(symbolsWords(symbolsIn(found), `No symbol matches ${query}.`, groundOf(ports)))
}

const escapedAnswer = (text: string): Outcome => answered(escapeImitations(text))

const groundOf = ({ files, paths, roots, isHidden }: LspToolPorts): ResultGround => ({
  show: paths.show,
  isInside: (path) => roots().some((root) => path.startsWith(root.endsWith("/") ? root : `${root}/`)),
  isHidden,
  lines: async (path, signal) => {
    const text = await textOf(files, path, signal)
    return text.ok ? text.value.split(/\r?\n/) : []
  },
})

async function clientOf(
  ports: LspToolPorts,
  servers: LanguageServers,
  server: LiveServer,
  signal: AbortSignal,
): Promise<Result<LanguageClient, string>> {
  if (!(await servers.approve(server, ports, signal)))
    return failed(`The language server ${server.config.name} was not approved for this project. Use Grep and Read.`)
  const client = await server.client(signal)
  return client.ok ? client : failed(`The language server ${server.config.name} does not work: ${client.failure}.`)
}

async function openFile(
  ports: LspToolPorts,
  servers: LanguageServers,
  server: LiveServer,
  { real }: Place,
  signal: AbortSignal,
): Promise<Result<{ readonly client: LanguageClient; readonly text: string }, string>> {
  const text = await textOf(ports.files, real, signal)
  if (!text.ok) return text
  const client = await clientOf(ports, servers, server, signal)
  if (!client.ok) return client
  server.sync(real, text.value)
  return ok({ client: client.value, text: text.value })
}

async function textOf(files: Files, path: string, signal: AbortSignal): Promise<Result<string, string>> {
  const content = await files.read(path, largestFile, signal)
  if (!content.ok) return failed(say(content.failure))
  const text = decode(content.value.bytes)
  return text.ok ? ok(text.value.text) : failed(`${path} is not text.`)
}

const contentModified = -32801
const mostTries = 4
const pauseMs = 300

/** A server that is still reading the project asks to be asked again. */
async function ask(
  { clock }: LspToolPorts,
  client: LanguageClient,
  [method, params]: LspRequest,
  signal: AbortSignal,
): Promise<Result<JsonValue, string>> {
  for (let tries = 1; ; tries++) {
    const answer = await client.ask(method, params, signal)
    if (answer.ok) return answer
    const { failure } = answer
    if (failure.kind === "refused" && failure.code === contentModified && tries < mostTries) {
      await clock.sleep(pauseMs, signal)
      continue
    }
    if (failure.kind === "aborted") return failed("It was interrupted.")
    return failed(`The language server answered with an error: ${failure.message || "no reason given"}`)
  }
}

/** As the protocol counts: lines and UTF-16 units from 0. */
function positionIn(text: string, { operation, line = 1, character, symbol }: LspInput): Result<JsonObject, string> {
  if (operation === "documentSymbol") return ok({ line: 0, character: 0 })
  const lines = text.split(/\r?\n/)
  const found = lines[line - 1]
  if (found === undefined) return failed(`The file has only ${lines.length} lines.`)
  if (symbol === undefined) return ok({ line: line - 1, character: Math.min((character ?? 1) - 1, found.length) })
  const from = character === undefined ? 0 : Math.max(0, character - 1)
  const at = wordAt(found, symbol, from)
  if (at === -1) return failed(`Line ${line} does not contain ${symbol}: ${found.trim().slice(0, 200)}`)
  return ok({ line: line - 1, character: at })
}

/** As a whole word, if there is one. */
function wordAt(line: string, symbol: string, from: number): number {
  const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_$]/u.test(char)
  for (let at = line.indexOf(symbol, from); at !== -1; at = line.indexOf(symbol, at + 1))
    if (!isWord(line[at - 1]) && !isWord(line[at + symbol.length])) return at
  return line.indexOf(symbol)
}
