/** The client of one server: the library's, with exceptions turned into values and lists read page by page. */

import type { Client, PriorDiscovery, Transport } from "@modelcontextprotocol/client"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { plainText } from "#lib/plain-text.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { answerServer } from "./answer-server.ts"
import { type AskServer, noTimeout, openAsk } from "./ask-server.ts"
import type { CallRequest, McpConnection, McpFailure, McpHost, McpIdentity, McpOffer } from "./connection.ts"
import { gatherMembers, lists } from "./decode.ts"
import { failureOf } from "./failures.ts"
import { type Freshness, openFreshness } from "./freshness.ts"
import { checkHandshake } from "./handshake.ts"
import { answersTo, endlessRounds, mostRounds } from "./input-requests.ts"
import { type RevisionFailure, revisionOf } from "./negotiate.ts"
import { openNews } from "./news.ts"
import { paramHeaders, paramHeadersIn } from "./param-headers.ts"
import { openPatience } from "./patience.ts"
import { inputRequiredIn, replyIn, taskIn } from "./raw-results.ts"
import { openResources } from "./resources.ts"
import { skillsExtension } from "./skills.ts"
import { watchOver } from "./watched.ts"

export interface ClientParts {
  readonly transport: Transport
  readonly host: McpHost
  readonly clock: Clock
  readonly version: string
  /** Which revisions are tried: the newest the server speaks, or only those before 2026. */
  readonly speaks: Speaks
  /** What is known about how the connection ended. */
  readonly reason: () => string
  /** Tells the server that we leave, if the end of the connection does not show it. */
  readonly leave?: () => Promise<void>
  /** Matches the library's message when there is no point in waiting for the server any more. */
  readonly brokenBy?: RegExp
  /** Credentials sent to the server: its errors must not show them. */
  readonly secrets?: () => readonly string[]
  /** Whether arguments can be repeated in headers. */
  readonly hasHeaders?: boolean
}

export type Speaks = "any" | "older"

/** A longer list never ends. */
const mostPages = 64
/** A server that does not respond in this time is left anyway. */
const leaveMs = 1_000
/** No one reads more of it. */
const longestInstructions = 20_000
/** For lists and short requests. */
const listMs = 60_000
/** A program that is silent for so long after the first question does not know it. */
export const probeMs = 10_000

/** Sampling is deprecated since 2026 and was never offered; see decision 130. */
const capabilities = {
  roots: { listChanged: true },
  elicitation: { form: {}, url: {} },
  extensions: { "io.modelcontextprotocol/tasks": {}, [skillsExtension]: {} },
}

export async function openClient(
  parts: ClientParts,
  signal: AbortSignal,
): Promise<Result<McpConnection, RevisionFailure>> {
  const { transport, host, clock, version, reason, brokenBy, secrets } = parts
  const clientInfo = { name: "codewright", version }
  const silenceMs = "pid" in transport ? probeMs : undefined
  const [prior, { Client }] = await Promise.all([
    parts.speaks === "older"
      ? ok<PriorDiscovery>({ kind: "legacy" })
      : revisionOf({ transport, clock, clientInfo, capabilities, silenceMs, secrets }, signal),
    import("@modelcontextprotocol/client"),
  ])
  if (!prior.ok) {
    await transport.close().catch(() => {})
    return prior
  }
  const patience = openPatience(clock)
  const client = new Client(clientInfo, { capabilities })
  checkHandshake(client)
  let isOpen = false
  const lost = (why: string): void => {
    if (!isOpen) return
    isOpen = false
    host.onClosed(why)
  }
  const can = (): ReturnType<Client["getServerCapabilities"]> => client.getServerCapabilities()
  const freshness = openFreshness(
    clock,
    // Of skills nothing is told.
    (what) => what !== "skills" && can()?.[what === "templates" ? "resources" : what]?.listChanged === true,
  )
  answerServer(
    client,
    {
      ...host,
      onUpdated(uri) {
        freshness.dropResource(uri)
        host.onUpdated(uri)
      },
    },
    patience,
  )
  const listeners: Pick<Client, "onclose" | "onerror"> = {
    onclose: () => lost(reason()),
    onerror(error) {
      if (brokenBy?.test(error.message)) lost("the server closed the stream")
    },
  }
  Object.assign(client, listeners)
  const connected = await connect(client, { transport, secrets, prior: prior.value }, signal)
  if (!connected.ok) return connected
  isOpen = true
  watchOver(transport, {
    clock,
    isModern: client.getProtocolEra() === "modern",
    onFlood(why) {
      lost(why)
      void client.close().catch(() => {})
    },
  })
  const ask = openAsk({ client, patience, lost, secrets })
  const news = openNews({ client, host, clock })
  news.start()
  return ok({
    instructions: plainText(client.getInstructions()?.slice(0, longestInstructions) ?? "") || undefined,
    about: aboutOf(client),
    identity: identityOf(client),
    revision: client.getNegotiatedProtocolVersion(),
    hasSkills: can()?.extensions?.[skillsExtension] !== undefined,
    ...requestsOf(ask, { client, host, freshness, hasHeaders: parts.hasHeaders === true }),
    isFresh: freshness.isFresh,
    watchResources: news.watchResources,
    rootsChanged() {
      // Who does not hear of it works in the folders of before; newer servers ask each time.
      if (client.getProtocolEra() === "legacy") void client.sendRootsListChanged().catch(() => {})
    },
    async close() {
      isOpen = false
      news.stop()
      if (parts.leave) {
        const gone = new AbortController()
        await Promise.race([parts.leave().catch(() => {}), clock.sleep(leaveMs, gone.signal)])
        gone.abort()
      }
      await client.close().catch(() => {})
      // The library lets go of a transport that was closed on it; the program behind it must end all the same.
      await transport.close().catch(() => {})
    },
  })
}

/** Takes over a transport whose revision is known. */
async function connect(
  client: Client,
  {
    transport,
    secrets,
    prior,
  }: { readonly transport: Transport; readonly secrets?: ClientParts["secrets"]; readonly prior: PriorDiscovery },
  signal: AbortSignal,
): Promise<Result<void, McpFailure>> {
  try {
    await client.connect(transport, { signal, timeout: noTimeout, prior })
    return ok(undefined)
  } catch (error) {
    await client.close().catch(() => {})
    return failed(failureOf(error, signal, secrets?.()))
  }
}

interface RequestParts {
  readonly client: Client
  readonly host: McpHost
  readonly freshness: Freshness
  readonly hasHeaders: boolean
}

type Requests = Pick<
  McpConnection,
  | "list"
  | "call"
  | "getTask"
  | "answerTask"
  | "cancelTask"
  | "complete"
  | "readResource"
  | "loadSkill"
  | "getSkill"
  | "readFolder"
  | "getPrompt"
>

function requestsOf(ask: AskServer, { client, host, freshness, hasHeaders }: RequestParts): Requests {
  const isModern = client.getProtocolEra() === "modern"
  /** Headers that calls of a tool need. */
  const marked = new Map<string, ReturnType<typeof paramHeadersIn>>()
  const unending = new AbortController().signal
  const offers = (what: keyof McpOffer): boolean => {
    const can = client.getServerCapabilities()
    if (what === "skills") return can?.extensions?.[skillsExtension] !== undefined
    return what === "tools" ? can?.tools !== undefined : what === "prompts" ? !!can?.prompts : !!can?.resources
  }
  const short = (request: Parameters<AskServer>[0], signal: AbortSignal): ReturnType<AskServer> =>
    ask(request, { signal, timeoutMs: listMs })

  /** Sends a request again with answers as long as the server asks for some. */
  async function untilAnswered(method: string, params: JsonObject, signal: AbortSignal): ReturnType<AskServer> {
    let extraParams: JsonObject = {}
    for (let round = 0; round < mostRounds; round++) {
      const got = await short({ method, params: { ...params, ...extraParams } }, signal)
      const wanted = got.ok ? inputRequiredIn(got.value) : undefined
      if (!wanted) return got
      const answers = await answersTo(wanted.requests, host, signal)
      if (!answers.ok) return answers
      extraParams = repeated(answers.value, wanted.state)
    }
    return failed(endlessRounds)
  }

  const resources = openResources(
    {
      read: (uri, signal) => untilAnswered("resources/read", { uri }, signal),
      skill: (uri, signal) => (offers("skills") ? short({ method: "skills/get", params: { uri } }, signal) : undefined),
      folder: (params, signal) =>
        readsFolders(client) ? short({ method: "resources/directory/read", params }, signal) : undefined,
    },
    freshness,
  )

  function usable(what: keyof McpOffer, page: JsonObject): JsonObject {
    if (what !== "tools" || !hasHeaders || !isModern || !Array.isArray(page.tools)) return page
    const tools = page.tools.filter((tool: JsonValue) => {
      if (!isObject(tool) || typeof tool.name !== "string") return true
      const found = paramHeadersIn(isObject(tool.inputSchema) ? tool.inputSchema : {})
      marked.set(tool.name, found)
      return found.ok
    })
    return { ...page, tools }
  }

  return {
    async list(what, signal) {
      if (!offers(what)) return ok([])
      const gathered = gatherMembers(what)
      const cursors = new Set<JsonValue>()
      let params: JsonObject = {}
      for (let page = 0; page < mostPages; page++) {
        const got = await short({ method: lists[what].method, params }, signal)
        if (!got.ok) return got
        freshness.listed(what, got.value, page === 0)
        const next = got.value.nextCursor
        // Whoever leads us in a circle has shown everything.
        if (!gathered.add(usable(what, got.value)) || typeof next !== "string" || cursors.has(next)) break
        cursors.add(next)
        params = { cursor: next }
      }
      const members = gathered.members() as McpOffer[keyof McpOffer]
      if (what === "skills") resources.listed(members as McpOffer["skills"])
      return ok(members)
    },
    async call(request, options) {
      const known = marked.get(request.name)
      const headers = known?.ok ? paramHeaders(known.value, request.input) : {}
      const got = await ask({ method: "tools/call", params: callParams(request) }, { ...options, headers })
      return got.ok ? ok(replyIn(got.value)) : got
    },
    async getTask(taskId, signal) {
      const got = await short({ method: "tasks/get", params: { taskId } }, signal)
      if (!got.ok) return got
      const task = taskIn(got.value)
      return task ? ok(task) : failed({ kind: "other", message: "The server did not say how its task stands." })
    },
    async answerTask(taskId, inputResponses, signal) {
      const got = await short({ method: "tasks/update", params: { taskId, inputResponses } }, signal)
      return got.ok ? ok(undefined) : got
    },
    cancelTask: (taskId) => void short({ method: "tasks/cancel", params: { taskId } }, unending),
    async complete({ of, name, value, known }, signal) {
      if (client.getServerCapabilities()?.completions === undefined) return ok([])
      const ref = "prompt" in of ? { type: "ref/prompt", name: of.prompt } : { type: "ref/resource", uri: of.template }
      const params = { ref, argument: { name, value }, context: { arguments: { ...known } } }
      const got = await short({ method: "completion/complete", params }, signal)
      return got.ok ? ok(valuesIn(got.value)) : got
    },
    readResource: resources.readResource,
    loadSkill: resources.loadSkill,
    getSkill: resources.getSkill,
    readFolder: resources.readFolder,
    async getPrompt({ name, input }, signal) {
      const got = await untilAnswered("prompts/get", { name, arguments: { ...input } }, signal)
      return got.ok ? ok(Array.isArray(got.value.messages) ? got.value.messages : []) : got
    },
  }
}

const callParams = ({ name, input, callId, traceparent, answers, state }: CallRequest): JsonObject => ({
  name,
  arguments: input,
  ...(answers && repeated(answers, state)),
  _meta: { "codewright/callId": callId, ...optional("traceparent", traceparent) },
})

/** What goes along when a request is made again. */
const repeated = (answers: JsonObject, state: string | undefined): JsonObject => ({
  ...(Object.keys(answers).length > 0 && { inputResponses: answers }),
  ...optional("requestState", state),
})

function readsFolders(client: Client): boolean {
  const extension = client.getServerCapabilities()?.extensions?.[skillsExtension]
  return isObject(extension) && extension.directoryRead === true
}

const mostValues = 100

function valuesIn({ completion }: JsonObject): readonly string[] {
  const values = isObject(completion) && Array.isArray(completion.values) ? completion.values : []
  return values
    .flatMap((value: JsonValue) => (typeof value === "string" ? plainText(value) : []))
    .filter((value) => value !== "" && !value.includes("\n"))
    .slice(0, mostValues)
}

function aboutOf(client: Client): string | undefined {
  const server = client.getServerVersion()
  return server && plainText([server.title ?? server.name, server.version].filter(Boolean).join(" "))
}

function identityOf(client: Client): McpIdentity | undefined {
  const server = client.getServerVersion()
  return server && { name: plainText(server.name), version: plainText(server.version) }
}
