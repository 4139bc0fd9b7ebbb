/** Requests about what a client brings along and knows: its servers and files. */

import { isObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { ok } from "#lib/result.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import { type Controls, no } from "./control.ts"
import { limiting, policyRules } from "./tool-policies.ts"

export const clientControls: Controls = {
  async mcp_set_servers({ servers }, { session }, signal) {
    if (!isObject(servers)) return no("servers must be an object.")
    const rules = Object.entries(servers).flatMap(([name, server]) => {
      const isInside = isObject(server) && server.type === "sdk"
      return policyRules({ [name]: server }).filter((rule) => limiting(rule) || !isInside)
    })
    // Before the tools are there.
    for (const { behavior, text: rule } of rules)
      await session.submit({ type: "add_rule", behavior, rule, destination: "session" })
    return ok(await session.ask({ type: "set_servers", servers }, signal))
  },

  async mcp_call({ tool: named, arguments: input = {} }, { session }, signal) {
    const [, server, tool] = isText(named) ? (/^mcp__(.+?)__(.+)$/.exec(named) ?? []) : []
    if (server === undefined || tool === undefined) return no("tool must be a name such as mcp__server__tool.")
    if (!isObject(input)) return no("arguments must be an object.")
    const called = await session.ask({ type: "call_server", server, tool, input }, signal)
    if (!called.ok) return no(called.failure)
    const { content, isError, data } = called.value
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    return ok({ content: blocks, isError, ...optional("structuredContent", data) })
  },

  /** What a server inside the client says by itself. */
  async mcp_message({ server_name: server, message }, { session }) {
    if (!isText(server) || !isObject(message)) return no("server_name must be a string, and message an object.")
    const heard = await session.submit({ type: "server_message", server, message })
    return heard.ok ? ok(undefined) : no(opFailureWords(heard.failure))
  },

  async read_file({ path, max_bytes: most, encoding }, { session }, signal) {
    if (!isText(path)) return no("path must be a string.")
    if (most !== undefined && !(typeof most === "number" && most > 0)) return no("max_bytes must be a positive number.")
    const as = encoding === "base64" ? ("base64" as const) : undefined
    const read = await session.ask(
      { type: "read_file", path, ...optional("most", most), ...optional("as", as) },
      signal,
    )
    if (!read.ok) return no(read.failure)
    const { path: absPath, text: contents, isCut, isLossy } = read.value
    return ok({
      contents,
      absPath,
      ...(isCut && { truncated: true }),
      ...(as ? { encoding: as } : { lossy: isLossy }),
    })
  },

  async seed_read_state({ path, mtime }, { session }) {
    if (!isText(path) || typeof mtime !== "number") return no("path must be a string, and mtime a number.")
    const seeded = await session.submit({ type: "seed_read", path, readAt: mtime })
    return seeded.ok ? ok(undefined) : no(opFailureWords(seeded.failure))
  },
}

const isText = (value: JsonValue | undefined): value is string => typeof value === "string"
