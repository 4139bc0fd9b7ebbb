/** The panel of providers: which can be used, what the others need, and how to add one. */

import { type Effect, note } from "#faces/tui/effect.ts"
import { keyPanel, type KeyPort } from "./key.ts"
import type { LineDefinition, ListDefinition, PanelDefinition, PanelOutcome, PanelRow } from "./panel.ts"
import type { ProviderRow, ProvidersPort } from "./provider-panel-port.ts"
import { signInPanel } from "./sign-in.ts"

/** What follows once a provider can be used. */
export type Ready<T> = (provider: Pick<ProviderRow, "name" | "who">, message: string) => PanelOutcome<T>

/** `query`: the name of the provider whose key is asked for at once. */
export function providersPanel(port: ProvidersPort, query: string): ListDefinition<readonly Effect[]> {
  const ready: Ready<readonly Effect[]> = (_, message) => ({
    kind: "closes",
    result: [note(`${message} Choose a model with /model.`)],
  })
  return providerList({ port, ready, query })
}

export function providerList<T>({
  port,
  ready,
  query = "",
}: {
  readonly port: ProvidersPort
  readonly ready: Ready<T>
  readonly query?: string
}): ListDefinition<T> {
  let rows: readonly ProviderRow[] = []
  const rowNamed = (key: string): ProviderRow | undefined => rows.find(({ name }) => name === key)
  return {
    kind: "list",
    title: "Providers",
    about: "Keys are tested, then saved in a file that only you can read. Variables take precedence over saved keys.",
    empty: "",
    search: "rows",
    query,
    enterLabel: "add or change a key",
    async load(_, signal) {
      rows = await port.list(signal)
      return [...rows.map(rowOf), addRow]
    },
    async choose({ key }) {
      if (key === addRow.key) return { kind: "opens", panel: addPanel(port, ready) }
      const row = rowNamed(key)
      if (!row) return { kind: "stays" }
      return row.takesKey ? { kind: "opens", panel: keyOf(port, row, ready) } : { kind: "stays", note: localNote(row) }
    },
    keys: [
      {
        name: "ctrl+d",
        about: "remove a saved key",
        of: "row",
        async run(pointed) {
          const row = pointed && rowNamed(pointed.key)
          if (!row?.isSaved) return { kind: "stays", note: "There is no saved key to remove here." }
          const done = await port.forget(row.name)
          return { kind: "stays", note: done.ok ? done.value : done.failure }
        },
      },
    ],
  }
}

const groups: { readonly [state in ProviderRow["state"]]: string } = {
  ready: "Ready",
  "needs key": "Need a key",
  "not running": "Not running",
}

const rowOf = ({ name, who, state, about }: ProviderRow): PanelRow => ({
  key: name,
  text: who,
  facts: about,
  group: groups[state],
})

const addRow: PanelRow = { key: "/add", text: "Add another server", facts: "by its address", group: "Others" }

const localNote = ({ who, state, about }: ProviderRow): string =>
  state === "ready" ? `${who} needs no key. Choose one of its models with /model.` : `${who}: ${about}.`

/** Where there are two ways to get a key, which one. */
export function keyOf<T>(
  port: ProvidersPort,
  { name, who, signsIn, keysAt }: Pick<ProviderRow, "name" | "who" | "signsIn" | "keysAt">,
  ready: Ready<T>,
): PanelDefinition<T> {
  const kept = (message: string): PanelOutcome<T> => ready({ name, who }, message)
  const keep: KeyPort["keep"] = (key, wish, signal) => port.keep(name, key, wish, signal)
  const paste = keyPanel<T>({ who, keysAt, port: { keep }, kept })
  if (!signsIn) return paste
  return {
    kind: "list",
    title: who,
    empty: "",
    search: "none",
    enterLabel: "select",
    load: async () => [
      { key: "browser", text: "Sign in with a browser" },
      { key: "paste", text: "Paste an API key" },
    ],
    choose: async ({ key }) => ({
      kind: "opens",
      panel: key === "paste" ? paste : signInPanel({ who, port: await port.signIn(name), kept }),
    }),
  }
}

export const addPanel = <T>(port: ProvidersPort, ready: Ready<T>): LineDefinition<T> => ({
  kind: "line",
  title: "Add another server",
  about:
    "The address of a server that speaks OpenAI's Chat Completions, such as http://192.168.1.20:8000/v1. It is saved in your settings.",
  text: "",
  shown: "text",
  waits: "Asking the server for its models…",
  async submit(address, signal) {
    const added = await port.add(address, signal)
    if (!added.ok) return { kind: "stays", note: added.failure }
    const { name, needsKey, message } = added.value
    return needsKey
      ? { kind: "opens", panel: keyOf(port, { name, who: name }, ready) }
      : ready({ name, who: name }, message)
  },
})
