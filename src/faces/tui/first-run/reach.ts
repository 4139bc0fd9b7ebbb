/** How to reach a model: what was found on this machine, a key, a server, or the simulator. */

import type { ListDefinition, PanelDefinition, PanelOutcome, PanelRow } from "#faces/tui/panels/panel.ts"
import type { ProviderRow } from "#faces/tui/panels/provider-panel-port.ts"
import { addPanel, keyOf, type Ready } from "#faces/tui/panels/providers.ts"
import type { Result } from "#lib/result.ts"
import type { ReachPort } from "./ports.ts"

/** For people. */
export type Reached = string

export function reachPanel(port: ReachPort): ListDefinition<Reached> {
  let found: readonly ProviderRow[] = []
  const ready: Ready<Reached> = (provider) => reached(port, provider)
  return {
    kind: "list",
    title: "Choose a model",
    about: "You can change this later with /login, /model and /config.",
    empty: "",
    search: "none",
    enterLabel: "select",
    leaves: "skip",
    async load(_, signal) {
      found = await port.providers.list(signal)
      return rowsOf(found)
    },
    async choose({ key }) {
      if (key === keyRow) return { kind: "opens", panel: keyList(port, found, ready) }
      if (key === serverRow) return { kind: "opens", panel: addPanel(port.providers, ready) }
      if (key === simulatorRow) return closing(port.useSimulator(), "the built-in simulator")
      const provider = found.find(({ name }) => name === key)
      return provider ? reached(port, provider) : { kind: "stays" }
    },
  }
}

// No provider is called like this.
const keyRow = "/key"
const serverRow = "/server"
const simulatorRow = "/simulator"

function rowsOf(found: readonly ProviderRow[]): readonly PanelRow[] {
  const missing = found.flatMap(({ state, takesKey, who }) => (takesKey && state !== "ready" ? [who] : []))
  return [
    ...found.flatMap(({ name, who, state, about }) =>
      state === "ready" ? [{ key: name, text: `Use ${who}`, facts: about }] : [],
    ),
    { key: keyRow, text: "Add an API key", facts: severalWords(missing) },
    { key: serverRow, text: "Add another server", facts: "by its address" },
    { key: simulatorRow, text: "Try the built-in simulator", facts: "no account needed; follows fixed rules" },
  ]
}

const severalWords = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ")

const keyList = (port: ReachPort, found: readonly ProviderRow[], ready: Ready<Reached>): ListDefinition<Reached> => ({
  kind: "list",
  title: "Add an API key",
  about: "Each can also be set as a variable, before Codewright is started.",
  empty: "",
  search: "rows",
  enterLabel: "select",
  load: async () =>
    found.flatMap(({ name, who, about, takesKey }) => (takesKey ? [{ key: name, text: who, facts: about }] : [])),
  async choose({ key }) {
    const row = found.find(({ name }) => name === key)
    return row ? { kind: "opens", panel: keyOf(port.providers, row, ready) } : { kind: "stays" }
  },
})

/** Anthropic's short names are known; of others, the model is chosen. */
const reached = (port: ReachPort, provider: Pick<ProviderRow, "name" | "who">): PanelOutcome<Reached> =>
  provider.name === "anthropic"
    ? closing(port.useModel("anthropic", "default"), "Anthropic")
    : { kind: "opens", panel: modelList(port, provider) }

const modelList = (port: ReachPort, { name, who }: Pick<ProviderRow, "name" | "who">): ListDefinition<Reached> => ({
  kind: "list",
  title: `Choose a model from ${who}`,
  empty: `${who} has no model yet. Load one there, or write a name.`,
  search: "rows",
  enterLabel: "select",
  async load(_, signal) {
    const models = await port.providers.models(name, signal)
    return models.ok
      ? [...models.value.map((model) => ({ key: model, text: model })), writeRow]
      : [{ ...writeRow, facts: models.failure }]
  },
  choose: async ({ key }) =>
    key === writeRow.key
      ? { kind: "opens", panel: namePanel(port, { name, who }) }
      : closing(port.useModel(name, key), `${key} from ${who}`),
})

const writeRow: PanelRow = { key: "/write", text: "Write a model's name" }

const namePanel = (port: ReachPort, { name, who }: Pick<ProviderRow, "name" | "who">): PanelDefinition<Reached> => ({
  kind: "line",
  title: `Write the name of a model from ${who}`,
  text: "",
  shown: "text",
  async submit(model) {
    const id = model.trim()
    if (id === "" || /\s/.test(id)) return { kind: "stays", note: "The name of a model has no spaces." }
    return closing(port.useModel(name, id), `${id} from ${who}`)
  },
})

const closing = (done: Result<void, string>, result: Reached): PanelOutcome<Reached> =>
  done.ok ? { kind: "closes", result } : { kind: "stays", note: done.failure }
