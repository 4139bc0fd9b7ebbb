/** The client of one server: the library's, with exceptions turned into values and lists read page by page. */

import { pathToFileURL } from "node:url"
import type { Client, Transport } from "@modelcontextprotocol/client"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { plainText } from "#lib/plain-text.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ElicitAsk, McpConnection, McpFailure, McpHost, McpIdentity, McpOffer } from "./connection.ts"
import { callResultIn, gatherMembers, lists } from "./decode.ts"
import { failureOf } from "./failures.ts"
import { type Counts, openPatience } from "./patience.ts"
import { watchOver } from "./watched.ts"

export interface ClientParts {
  readonly transport: Transport
  readonly host: McpHost
  readonly clock: Clock
  readonly version: string
  /** What is known about how the connection ended. */
  readonly reason: () => string
  /** Tells the server that we leave, if the end of the connection does not show it. */
  readonly leave?: () => Promise<void>
  /** Matches the library's message when there is no point in waiting for the server any more. */
  readonly brokenBy?: RegExp
  /** Credentials sent to the server: its errors must not show them. */
  readonly secrets?: () => readonly string[]
}

/** Disables the library's own timeout: patience is counted here, where a question to the user can pause it. */
const noTimeout = 2_147_483_647
/** A longer list never ends. */
const mostPages = 64
/** A server that does not respond in this time is left anyway. */
const leaveMs = 1_000
/** No one reads more of it. */
const longestInstructions = 20_000
/** For lists and short requests. */
const listMs = 60_000

export async function openClient(
  { transport, host, clock, version, reason, leave, brokenBy, secrets }: ClientParts,
  signal: AbortSignal,
): Promise<Result<McpConnection, McpFailure>> {
  const { Client } = await import("@modelcontextprotocol/client")
  const patience = openPatience(clock)
  const client = new Client(
    { name: "codewright", version },
    { capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } } },
  )
  let isOpen = false
  const lost = (why: string): void => {
    if (!isOpen) return
    isOpen = false
    host.onClosed(why)
  }
  answerServer(client, host, patience)
  const listeners: Pick<Client, "onclose" | "onerror"> = {
    onclose: () => lost(reason()),
    onerror(error) {
      if (brokenBy?.test(error.message)) lost("the server closed the stream")
    },
  }
  Object.assign(client, listeners)
  try {
    await client.connect(transport, { signal, timeout: noTimeout })
  } catch (error) {
    await client.close().catch(() => {})
    return failed(failureOf(error, signal, secrets?.()))
  }
  isOpen = true
  watchOver(transport, {
    clock,
    onFlood(why) {
      lost(why)
      void client.close().catch(() => {})
    },
  })

  const ask = openAsk(client, patience, { lost, ...optional("secrets", secrets) })
  const offers = (what: keyof McpOffer): boolean => {
    const can = client.getServerCapabilities()
    return what === "tools" ? can?.tools !== undefined : what === "prompts" ? !!can?.prompts : !!can?.resources
  }

  return ok({
    instructions: plainText(client.getInstructions()?.slice(0, longestInstructions) ?? "") || undefined,
    about: aboutOf(client),
    identity: identityOf(client),
    async list(what, listSignal) {
      if (!offers(what)) return ok([])
      const gathered = gatherMembers(what)
      const cursors = new Set<JsonValue>()
      let params: JsonObject = {}
      for (let page = 0; page < mostPages; page++) {
        const got = await ask({ method: lists[what].method, params }, { signal: listSignal, timeoutMs: listMs })
        if (!got.ok) return got
        const next = got.value.nextCursor
        // Whoever leads us in a circle has shown everything.
        if (!gathered.add(got.value) || typeof next !== "string" || cursors.has(next)) break
        cursors.add(next)
        params = { cursor: next }
      }
      return ok(gathered.members() as McpOffer[keyof McpOffer])
    },
    async call({ name, input, callId, traceparent }, options) {
      const meta = { "codewright/callId": callId, ...optional("traceparent", traceparent) }
      const params = { name, arguments: input, _meta: meta }
      const got = await ask({ method: "tools/call", params }, options)
      return got.ok ? ok(callResultIn(got.value)) : got
    },
    async readResource(uri, readSignal) {
      const got = await ask({ method: "resources/read", params: { uri } }, { signal: readSignal, timeoutMs: listMs })
      return got.ok ? ok(Array.isArray(got.value.contents) ? got.value.contents : []) : got
    },
    async getPrompt({ name, input }, promptSignal) {
      const params = { name, arguments: { ...input } }
      const got = await ask({ method: "prompts/get", params }, { signal: promptSignal, timeoutMs: listMs })
      return got.ok ? ok(Array.isArray(got.value.messages) ? got.value.messages : []) : got
    },
    rootsChanged() {
      // Who does not hear of it works in the folders of before: nothing else depends on it.
      void client.sendRootsListChanged().catch(() => {})
    },
    async close() {
      isOpen = false
      if (leave) {
        const gone = new AbortController()
        await Promise.race([leave().catch(() => {}), clock.sleep(leaveMs, gone.signal)])
        gone.abort()
      }
      await client.close().catch(() => {})
      // The library lets go of a transport that was closed on it; the program behind it must end all the same.
      await transport.close().catch(() => {})
    },
  })
}

type AskServer = (
  request: { readonly method: string; readonly params?: JsonObject },
  options: {
    readonly signal: AbortSignal
    readonly timeoutMs: number
    readonly counts?: Counts
    readonly onProgress?: Parameters<McpConnection["call"]>[1]["onProgress"]
  },
) => Promise<Result<JsonObject, McpFailure>>

interface AskParts extends Pick<ClientParts, "secrets"> {
  readonly lost: (why: string) => void
}

/** One request to the server, within its patience; `lost` is called when the connection turns out to be gone. */
function openAsk(client: Client, patience: ReturnType<typeof openPatience>, { lost, secrets }: AskParts): AskServer {
  return async (request, options) => {
    const watched = patience.watch(options.timeoutMs, options.counts)
    try {
      const value = await client.request({ ...request, params: { ...request.params } }, anything, {
        signal: AbortSignal.any([options.signal, watched.ended]),
        timeout: noTimeout,
        ...(options.onProgress && {
          onprogress: ({ progress, total, message }) => {
            watched.touch()
            options.onProgress?.({
              progress,
              ...(total !== undefined && { total }),
              ...(message !== undefined && { message }),
            })
          },
        }),
      })
      return ok(isObject(value) ? value : {})
    } catch (error) {
      if (watched.ended.aborted)
        return failed({
          kind: "timeout",
          message:
            options.counts === "whole"
              ? `The server did not finish within ${options.timeoutMs / 1000} s.`
              : `The server said nothing for ${options.timeoutMs / 1000} s.`,
        })
      const failure = failureOf(error, options.signal, secrets?.())
      if (failure.kind === "closed") lost(failure.message)
      return failed(failure)
    } finally {
      watched.done()
    }
  }
}

function answerServer(client: Client, host: McpHost, patience: ReturnType<typeof openPatience>): void {
  client.setRequestHandler("roots/list", () => ({
    roots: host.roots().map((path) => ({ uri: pathToFileURL(path).href, name: path })),
  }))
  client.setRequestHandler("elicitation/create", async ({ params }, context) => {
    // A server asks because of something it was asked to do; without a request in progress the user is not disturbed.
    if (!patience.isBusy()) return { action: "cancel" }
    const go = patience.pause()
    try {
      const signal = AbortSignal.any([context.mcpReq.signal, patience.busySignal()])
      const answer = await host.elicit(elicitAsk(params as unknown as JsonObject), signal)
      return answer.action === "accept" ? { action: "accept", content: { ...answer.content } } : answer
    } finally {
      go()
    }
  })
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
    host.onElicited(plainText(params.elicitationId)),
  )
  client.setNotificationHandler("notifications/tools/list_changed", () => host.onChanged("tools"))
  client.setNotificationHandler("notifications/prompts/list_changed", () => host.onChanged("prompts"))
  client.setNotificationHandler("notifications/resources/list_changed", () => host.onChanged("resources"))
}

function elicitAsk({ message, requestedSchema, url, elicitationId, _meta: meta }: JsonObject): ElicitAsk {
  const shown = isObject(meta) ? meta["anthropic/permissionDisplay"] : undefined
  return {
    message: typeof message === "string" ? message : "",
    ...(isObject(requestedSchema) && { schema: requestedSchema }),
    ...(typeof url === "string" && { url }),
    ...(typeof elicitationId === "string" && { id: plainText(elicitationId) }),
    ...(isObject(shown) && { shown }),
  }
}

function aboutOf(client: Client): string | undefined {
  const server = client.getServerVersion()
  return server && plainText([server.title ?? server.name, server.version].filter(Boolean).join(" "))
}

function identityOf(client: Client): McpIdentity | undefined {
  const server = client.getServerVersion()
  return server && { name: plainText(server.name), version: plainText(server.version) }
}

/** Accepts every answer: servers do not strictly follow their own schemas, and we check each part ourselves. */
const anything = {
  "~standard": { version: 1, vendor: "codewright", validate: (value: unknown) => ({ value }) },
} as const
