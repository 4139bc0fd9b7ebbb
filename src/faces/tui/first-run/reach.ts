/** How to reach a model: a key, a server on this machine, or the simulator. */

import { keyPanel } from "#faces/tui/panels/key.ts"
import type { ListDefinition, PanelOutcome, PanelRow } from "#faces/tui/panels/panel.ts"
import type { Result } from "#lib/result.ts"
import type { LocalServer, ReachPort } from "./ports.ts"

export type Reached = string

export function reachPanel(port: ReachPort): ListDefinition<Reached> {
  let servers: readonly LocalServer[] = []
  return {
    kind: "list",
    title: "Choose a model",
    about: "You can change this later with /login, /model and /config.",
    empty: "",
    search: "none",
    takes: "select",
    leaves: "skip",
    async load(_, signal) {
      servers = await port.servers(signal)
      return rowsOf(port, servers)
    },
    async take({ key }) {
      if (key === "environment")
        return { kind: "closes", result: `the key in ${port.keyVariable ?? "the environment"}` }
      if (key === "key") return { kind: "opens", panel: keyPanel({ port: port.key, kept: keyKept }) }
      if (key === "simulator") return closing(port.useSimulator(), "the built-in simulator")
      const server = servers.find(({ url }) => url === key)
      if (!server) return { kind: "stays" }
      if (server.unfit !== undefined) return { kind: "stays", note: server.unfit }
      const [only, ...more] = server.models
      if (only === undefined) return { kind: "stays", note: `${server.name} has no model yet. Load one there first.` }
      if (more.length > 0) return { kind: "opens", panel: modelList(port, server) }
      return closing(port.useServer(server, only), `${only} from ${server.name}`)
    },
  }
}

function rowsOf({ keyVariable }: ReachPort, servers: readonly LocalServer[]): readonly PanelRow[] {
  return [
    ...(keyVariable === undefined
      ? []
      : [{ key: "environment", text: `Use the key in ${keyVariable}`, facts: "Anthropic API" }]),
    { key: "key", text: "Paste an API key", facts: "Anthropic API" },
    ...servers.map(({ name, url, models, unfit }) => ({
      key: url,
      text: `${name} on this computer`,
      facts: unfit === undefined ? `${models.length} ${models.length === 1 ? "model" : "models"}` : "too old",
    })),
    { key: "simulator", text: "Try the built-in simulator", facts: "no account needed; follows fixed rules" },
  ]
}

const keyKept = (): PanelOutcome<Reached> => ({ kind: "closes", result: "the Anthropic API, with the key you pasted" })

const modelList = (port: ReachPort, server: LocalServer): ListDefinition<Reached> => ({
  kind: "list",
  title: `Choose a model from ${server.name}`,
  empty: "",
  search: "rows",
  takes: "select",
  load: async () => server.models.map((model) => ({ key: model, text: model })),
  take: async ({ key }) => closing(port.useServer(server, key), `${key} from ${server.name}`),
})

const closing = (done: Result<void, string>, result: Reached): PanelOutcome<Reached> =>
  done.ok ? { kind: "closes", result } : { kind: "stays", note: done.failure }
