/** The panel of plugins: what is installed, what marketplaces have, and, before anything is installed, what it would run. */

import type { Result } from "#lib/result.ts"
import { bold } from "#faces/tui/screen/style.ts"
import { fitted } from "#faces/tui/screen/width.ts"
import type {
  LineDefinition,
  ListDefinition,
  PanelKey,
  PanelOutcome,
  PanelRow,
  Preview,
  TextDefinition,
  TextPage,
} from "./panel.ts"
import { factRows, listRows, passage, textRows, warningRows } from "./passage.ts"
import { drawnOnce } from "./place.ts"
import type { PluginPage, PluginsPort } from "./plugins-port.ts"

const addRow: PanelRow = {
  key: "/add",
  text: "Add a marketplace",
  facts: "owner/repo, an address or a folder",
  group: "Marketplaces",
}

export const pluginsPanel = <T>(port: PluginsPort, query: string): ListDefinition<T> => ({
  kind: "list",
  title: "Plugins",
  about: "Installing runs nothing: you see first what a plugin would run. Changes apply to new sessions.",
  empty: "",
  search: "rows",
  query,
  enterLabel: "open",
  async load(_, signal) {
    const rows = await port.list(signal)
    if (!rows.ok) return { why: rows.failure }
    return [...rows.value.map(({ id, ...row }) => ({ key: id, text: id, ...row })), addRow]
  },
  choose: async ({ key }) => ({ kind: "opens", panel: key === addRow.key ? addPanel(port) : pluginPanel(port, key) }),
})

const addPanel = <T>(port: PluginsPort): LineDefinition<T> => ({
  kind: "line",
  title: "Add a marketplace",
  about: "Such as acme/plugins, https://example.com/plugins.git or ../plugins. Only its list is fetched.",
  text: "",
  shown: "text",
  waits: "Fetching the list…",
  async submit(source) {
    const added = await port.addMarketplace(source)
    return added.ok ? { kind: "goes back", to: "first", note: added.value } : { kind: "stays", note: added.failure }
  },
})

const pluginPanel = <T>(port: PluginsPort, id: string): TextDefinition<T> => ({
  kind: "text",
  title: id,
  begins: "top",
  async load(signal) {
    const page = await port.page(id, signal)
    if (!page.ok) return { draw: drawnOnce(warningRows(page.failure)), keys: [] }
    return { ...pageOf(page.value), keys: keysOf(port, id, page.value) }
  },
})

function pageOf<T>({ facts, description, runs, adds, problems, state }: PluginPage): Omit<TextPage<T>, "keys"> {
  const nothing = runs.length === 0 ? "Nothing. It only adds text for the model." : undefined
  return {
    draw: drawnOnce(
      passage(
        textRows("About", description),
        factRows([["State", state], ...facts]),
        runs.length === 0 ? textRows("Would run", nothing) : runRows(runs),
        listRows("Adds", adds),
        warningRows(problems.join("\n")),
      ),
    ),
  }
}

/** Never cut: the end of a line may be what matters. */
const runRows =
  (runs: PluginPage["runs"]): Preview =>
  (columns) => [fitted(bold("Would run"), columns), ...factRows(runs)(columns - 2).map((row) => `  ${row}`)]

function keysOf<T>(port: PluginsPort, id: string, { state }: PluginPage): readonly PanelKey<T>[] {
  const key = (name: string, about: string, run: () => Promise<Result<string, string>>): PanelKey<T> => ({
    name,
    about,
    async run(): Promise<PanelOutcome<T>> {
      const done = await run()
      return done.ok ? { kind: "goes back", to: "first", note: done.value } : { kind: "stays", note: done.failure }
    },
  })
  if (state === "not installed") return [key("i", "install and enable", () => port.install(id))]
  return [
    state === "enabled"
      ? key("e", "disable", () => port.disable(id))
      : key("e", state === "disabled" ? "enable" : "approve and enable", () => port.enable(id)),
    {
      name: "u",
      about: "update",
      async run(): Promise<PanelOutcome<T>> {
        const answer = await port.update(id, "ask")
        if (!answer.ok) return { kind: "stays", note: answer.failure }
        if (answer.value.kind === "done") return { kind: "stays", note: answer.value.message }
        return { kind: "opens", panel: differencePanel(port, id, answer.value.difference) }
      },
    },
    key("d", "remove", () => port.remove(id)),
  ]
}

const differencePanel = <T>(port: PluginsPort, id: string, difference: readonly string[]): TextDefinition<T> => ({
  kind: "text",
  title: `Update ${id}`,
  begins: "top",
  load: async () => ({
    draw: drawnOnce(textRows("What it runs would change", difference.join("\n"))),
    keys: [
      {
        name: "y",
        about: "agree and update",
        async run(): Promise<PanelOutcome<T>> {
          const done = await port.update(id, "agreed")
          if (!done.ok) return { kind: "stays", note: done.failure }
          return {
            kind: "goes back",
            to: "first",
            note: done.value.kind === "done" ? done.value.message : "Not updated.",
          }
        },
      },
    ],
  }),
})
