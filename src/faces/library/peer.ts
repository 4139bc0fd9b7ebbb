/** The program's end of the protocol: it asks the session, and answers what the session asks. */

import { channel } from "#lib/channel.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { SDKMessage } from "./messages.ts"
import type { HookCallback, HookInput, Options, PermissionUpdate } from "./options.ts"
import { type Answerer, answererOf, isInProcess } from "./servers.ts"

/** A session at the other end: objects both ways. */
export interface PeerWire {
  readonly send: (message: object) => void
  readonly messages: AsyncIterable<object>
  /** Nothing more is sent: the session finishes what it has. */
  readonly close: () => void
}

export interface Peer {
  readonly initialize: Promise<JsonObject>
  /** Everything but requests and answers. */
  readonly messages: AsyncIterable<SDKMessage>
  readonly ask: (request: JsonObject & { readonly subtype: string }) => Promise<JsonObject>
}

export function openPeer(wire: PeerWire, options: Options, newId: () => string): Peer {
  const messages = channel<SDKMessage>()
  const waiting = new Map<string, { resolve: (answer: JsonObject) => void; reject: (error: Error) => void }>()
  const underWay = new Map<string, AbortController>()
  const callbacks = new Map<string, HookCallback>()
  const servers = new Map<string, Answerer>(
    Object.entries(options.mcpServers ?? {}).flatMap(([name, server]) =>
      isInProcess(server) ? [[name, answererOf(server)]] : [],
    ),
  )

  function ask(request: JsonObject): Promise<JsonObject> {
    const request_id = newId()
    return new Promise((resolve, reject) => {
      waiting.set(request_id, { resolve, reject })
      wire.send({ type: "control_request", request_id, request })
    })
  }

  function takeAnswer({ response }: JsonObject): void {
    if (!isObject(response) || typeof response.request_id !== "string") return
    const { request_id, subtype, error } = response
    const who = waiting.get(request_id)
    waiting.delete(request_id)
    if (subtype === "error") who?.reject(new Error(typeof error === "string" ? error : "The session refused it."))
    else who?.resolve(isObject(response.response) ? response.response : {})
  }

  async function takeRequest({ request_id, request }: JsonObject): Promise<void> {
    if (typeof request_id !== "string" || !isObject(request)) return
    const withdrawn = new AbortController()
    underWay.set(request_id, withdrawn)
    const answer = await answerRequest(request, withdrawn.signal).then(
      (response) => ({ subtype: "success", request_id, response }),
      (error: unknown) => ({
        subtype: "error",
        request_id,
        error: error instanceof Error ? error.message : String(error),
      }),
    )
    underWay.delete(request_id)
    if (!withdrawn.signal.aborted) wire.send({ type: "control_response", response: answer })
  }

  async function answerRequest(request: JsonObject, signal: AbortSignal): Promise<object> {
    switch (request.subtype) {
      case "can_use_tool":
        return permission(request, options, signal)
      case "elicitation":
        return elicited(request, options, signal)
      case "hook_callback": {
        const callback = callbacks.get(String(request.callback_id))
        if (!callback) throw new Error(`There is no callback ${String(request.callback_id)}.`)
        return callback(request.input as HookInput, textIn(request.tool_use_id), { signal })
      }
      case "mcp_message": {
        const server = servers.get(String(request.server_name))
        if (!server || !isObject(request.message)) throw new Error(`There is no server ${String(request.server_name)}.`)
        return { mcp_response: await server(request.message) }
      }
      default:
        throw new Error(`This program does not answer ${String(request.subtype)}.`)
    }
  }

  async function listen(): Promise<void> {
    for await (const message of wire.messages) {
      const { type } = message as JsonObject
      if (type === "control_response") takeAnswer(message as JsonObject)
      else if (type === "control_request") void takeRequest(message as JsonObject)
      else if (type === "control_cancel_request") underWay.get(String((message as JsonObject).request_id))?.abort()
      else if (type !== "keep_alive") messages.push(message as SDKMessage)
    }
    for (const { reject } of waiting.values()) reject(new Error("The session has ended."))
    for (const one of underWay.values()) one.abort()
    messages.close()
  }

  void listen()
  const initialize = ask({ subtype: "initialize", ...first(options, callbacks, [...servers.keys()]) })
  // Whoever does not ask for the answer is told of a failure by the end of the query.
  initialize.catch(() => {})
  return { initialize, messages, ask }
}

/** What the session is told first. Callbacks stay here and go by a name. */
function first(options: Options, callbacks: Map<string, HookCallback>, servers: readonly string[]): JsonObject {
  const { systemPrompt, hooks = {}, agents, outputFormat, title, forwardSubagentText, skills } = options
  const named = Object.entries(hooks).map(([event, matchers]): [string, JsonValue] => [
    event,
    matchers.map(({ matcher, timeout, onFailure, hooks: called }) => ({
      ...optional("matcher", matcher),
      ...optional("timeout", timeout),
      ...optional("onFailure", onFailure),
      hookCallbackIds: called.map((callback) => {
        const name = `hook_${callbacks.size}`
        callbacks.set(name, callback)
        return name
      }),
    })),
  ])
  return {
    ...(named.length > 0 && { hooks: Object.fromEntries(named) }),
    ...(servers.length > 0 && { sdkMcpServers: servers }),
    ...(typeof systemPrompt === "string" && { systemPrompt: [systemPrompt] }),
    ...(typeof systemPrompt === "object" && optional("appendSystemPrompt", systemPrompt.append)),
    ...optional("agents", agents as unknown as JsonObject | undefined),
    ...optional("jsonSchema", outputFormat?.schema as JsonObject | undefined),
    ...optional("title", title),
    ...optional("skills", skills === "all" ? undefined : skills),
    ...optional("toolAliases", options.toolAliases),
    ...optional("planModeInstructions", options.planModeInstructions),
    ...optional("forwardSubagentText", forwardSubagentText),
  }
}

async function permission(request: JsonObject, { canUseTool }: Options, signal: AbortSignal): Promise<object> {
  if (!canUseTool) throw new Error("This program answers no permission questions.")
  const { tool_name, input, tool_use_id, permission_suggestions, decision_reason, blocked_path, agent_id } = request
  const toolUseID = String(tool_use_id)
  const answer = await canUseTool(String(tool_name), isObject(input) ? input : {}, {
    signal,
    toolUseID,
    ...optional("suggestions", permission_suggestions as unknown as readonly PermissionUpdate[] | undefined),
    ...optional("decisionReason", textIn(decision_reason)),
    ...optional("blockedPath", textIn(blocked_path)),
    ...optional("agentID", textIn(agent_id)),
  })
  return { ...answer, toolUseID }
}

async function elicited(request: JsonObject, { onElicitation }: Options, signal: AbortSignal): Promise<object> {
  if (!onElicitation) return { action: "decline" }
  const { mcp_server_name, message, mode, url, elicitation_id, requested_schema } = request
  return onElicitation(
    {
      serverName: String(mcp_server_name),
      message: String(message),
      ...(mode === "form" || mode === "url" ? { mode } : {}),
      ...optional("url", textIn(url)),
      ...optional("elicitationId", textIn(elicitation_id)),
      ...optional("requestedSchema", isObject(requested_schema) ? requested_schema : undefined),
    },
    { signal },
  )
}

const textIn = (value: JsonValue | undefined): string | undefined => (typeof value === "string" ? value : undefined)
