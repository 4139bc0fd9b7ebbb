/** A query: a prompt, or several as they come, answered by a session in this very process. */

import type { JsonObject, JsonValue } from "#lib/json.ts"
import { flagsOf } from "./flags.ts"
import type { PermissionMode, SDKMessage, SDKResultMessage, SDKUserMessage } from "./messages.ts"
import type { Options } from "./options.ts"
import { openPeer, type PeerWire } from "./peer.ts"

export interface QueryParams {
  readonly prompt: string | AsyncIterable<SDKUserMessage>
  readonly options?: Options
}

/** Messages as they come, and what can be asked of the session meanwhile. */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  readonly interrupt: () => Promise<void>
  readonly setPermissionMode: (mode: PermissionMode) => Promise<void>
  /** The configured model when absent. */
  readonly setModel: (model?: string) => Promise<void>
  /** Null for the model's default. */
  readonly setMaxThinkingTokens: (tokens: number | null) => Promise<void>
  readonly initializationResult: () => Promise<JsonObject>
  readonly supportedCommands: () => Promise<readonly JsonObject[]>
  readonly supportedModels: () => Promise<readonly JsonObject[]>
  readonly supportedAgents: () => Promise<readonly JsonObject[]>
  readonly mcpServerStatus: () => Promise<readonly JsonObject[]>
  readonly getContextUsage: () => Promise<JsonObject>
  readonly rewindFiles: (userMessageId: string, how?: { readonly dryRun?: boolean }) => Promise<JsonObject>
  readonly stopTask: (taskId: string) => Promise<void>
  /** Sends further messages. */
  readonly streamInput: (messages: AsyncIterable<SDKUserMessage>) => Promise<void>
  /** Ends the session at once. */
  readonly close: () => void
}

/** A session with these flags, started in this process. */
export type Start = (
  flags: readonly string[],
  place: {
    readonly cwd: string | undefined
    readonly env: Options["env"]
    readonly stop: AbortSignal
    readonly warn: (line: string) => void
  },
) => Started

export interface Started extends PeerWire {
  /** The exit code that the executable would have. */
  readonly ended: Promise<number>
}

export function queryOver(start: Start, newId: () => string, { prompt, options = {} }: QueryParams): Query {
  const stop = new AbortController()
  const aborted = options.abortController?.signal
  if (aborted?.aborted) stop.abort()
  aborted?.addEventListener("abort", () => stop.abort(), { once: true })
  const said: string[] = []
  const warn = (line: string): void => {
    said.push(line)
    options.stderr?.(line)
  }
  const wire = start(flagsOf(options), { cwd: options.cwd, env: options.env, stop: stop.signal, warn })
  const peer = openPeer(wire, options, newId)
  let last: SDKResultMessage | undefined

  async function sendAll(messages: AsyncIterable<SDKUserMessage>): Promise<void> {
    for await (const message of messages) wire.send(message)
  }

  async function* streamMessages(): AsyncGenerator<SDKMessage, void> {
    // Input may come as long as there is a session; a prompt by itself is all there is.
    const sent = typeof prompt === "string" ? undefined : sendAll(prompt).finally(wire.close)
    sent?.catch(() => {})
    if (typeof prompt === "string") wire.send(userMessage(prompt))
    try {
      for await (const message of peer.messages) {
        if (message.type === "result") {
          last = message
          // Hooks, servers and questions are answered over the same way, so it stays open until now.
          if (typeof prompt === "string") wire.close()
        }
        yield message
      }
    } finally {
      // Whoever stops listening wants nothing more to happen.
      stop.abort()
    }
    await sent
    const code = await wire.ended
    if (aborted?.aborted) throw new DOMException("The query was aborted.", "AbortError")
    if (code !== 0) throw new Error(endWords(last, said))
  }

  const ask = (subtype: string, fields: JsonObject = {}): Promise<JsonObject> => peer.ask({ ...fields, subtype })
  const sendControl = async (subtype: string, fields: JsonObject): Promise<void> => void (await ask(subtype, fields))
  const listed = async (field: string): Promise<readonly JsonObject[]> => rowsIn((await peer.initialize)[field])

  return Object.assign(streamMessages(), {
    interrupt: () => sendControl("interrupt", {}),
    setPermissionMode: (mode: PermissionMode) => sendControl("set_permission_mode", { mode }),
    setModel: (model?: string) => sendControl("set_model", model === undefined ? {} : { model }),
    setMaxThinkingTokens: (tokens: number | null) =>
      sendControl("set_max_thinking_tokens", { max_thinking_tokens: tokens }),
    initializationResult: () => peer.initialize,
    supportedCommands: () => listed("commands"),
    supportedModels: () => listed("models"),
    supportedAgents: () => listed("agents"),
    mcpServerStatus: async () => rowsIn((await ask("mcp_status")).mcpServers),
    getContextUsage: () => ask("get_context_usage"),
    rewindFiles: (user_message_id: string, { dryRun = false } = {}) =>
      ask("rewind_files", { user_message_id, dry_run: dryRun }),
    stopTask: (task_id: string) => sendControl("stop_task", { task_id }),
    streamInput: sendAll,
    close: () => stop.abort(),
  })
}

const userMessage = (text: string): SDKUserMessage => ({
  type: "user",
  message: { role: "user", content: [{ type: "text", text }] },
  parent_tool_use_id: null,
})

const rowsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonObject[]) : []

function endWords(last: SDKResultMessage | undefined, said: readonly string[]): string {
  if (!last?.is_error) return said.at(-1) ?? "The session ended without an answer."
  return `The query failed: ${last.subtype === "success" ? last.result : last.errors.join("\n")}`
}
