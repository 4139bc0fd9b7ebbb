/** Requests about what a client brings along and knows: its servers, files, rules and settings. */

import { isObject, type JsonValue } from "#lib/json.ts"
import { ok } from "#lib/result.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import { type Controls, no } from "./control.ts"

export const clientControls: Controls = {
  async mcp_set_servers({ servers }, { session }, signal) {
    if (!isObject(servers)) return no("servers must be an object.")
    return ok(await session.ask({ type: "set_servers", servers }, signal))
  },

  async mcp_call({ tool: named, arguments: input = {} }, { session }, signal) {
    const [, server, tool] = isText(named) ? (/^mcp__(.+?)__(.+)$/.exec(named) ?? []) : []
    if (server === undefined || tool === undefined) return no("tool must be a name such as mcp__server__tool.")
    if (!isObject(input)) return no("arguments must be an object.")
    const called = await session.ask({ type: "call_server", server, tool, input }, signal)
    return called.ok ? ok(called.value) : no(called.failure)
  },

  /** What a server inside the client says by itself. */
  async mcp_message({ server_name: server, message }, { session }) {
    if (!isText(server) || !isObject(message)) return no("server_name must be a string, and message an object.")
    const heard = await session.submit({ type: "server_message", server, message })
    return heard.ok ? ok(undefined) : no(opFailureWords(heard.failure))
  },

  list_permission_rules: async (_, { session }) => ok({ rules: await session.ask({ type: "rules" }) }),

  get_hooks_listing: async (_, { session }) => ok({ hooks: (await session.ask({ type: "hooks" })).configured }),

  async read_file({ path }, { session }, signal) {
    if (!isText(path)) return no("path must be a string.")
    const read = await session.ask({ type: "read_file", path }, signal)
    return read.ok ? ok({ absPath: read.value.path, contents: read.value.text }) : no(read.failure)
  },

  async seed_read_state({ path, mtime }, { session }) {
    if (!isText(path) || typeof mtime !== "number") return no("path must be a string, and mtime a number.")
    const seeded = await session.submit({ type: "seed_read", path, readAt: mtime })
    return seeded.ok ? ok(undefined) : no(opFailureWords(seeded.failure))
  },

  async apply_flag_settings({ settings }, { session }) {
    if (!isObject(settings)) return no("settings must be an object.")
    const { ignored, failures } = await session.ask({ type: "apply_settings", settings })
    return failures.length > 0 ? no(failures.join(" ")) : ok({ ignored })
  },
}

const isText = (value: JsonValue | undefined): value is string => typeof value === "string"
