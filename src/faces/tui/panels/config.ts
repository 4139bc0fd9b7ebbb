/** The panel of settings: what each is, which file says so, and how to change it. */

import type { Effect } from "#faces/tui/effect.ts"
import { type ThemeName, themeNames } from "#faces/tui/screen/theme.ts"
import type { JsonValue } from "#lib/json.ts"
import type { ConfigPort, ConfigRow } from "./ports.ts"
import type { ListDefinition, PanelOutcome, PanelDefinition } from "./panel.ts"

type Effects = readonly Effect[]

export function configPanel(
  port: ConfigPort,
  {
    setTheme,
    act,
    query,
  }: {
    readonly setTheme: (theme: ThemeName) => void
    readonly act: (effect: Effect) => void
    readonly query: string
  },
): ListDefinition<Effects> {
  let rows: readonly ConfigRow[] = []

  /** Visible settings apply at once; others apply to new sessions. */
  async function save({ key }: ConfigRow, value: JsonValue, to: "first" | "stays"): Promise<PanelOutcome<Effects>> {
    const done = await port.change(key, value)
    if (!done.ok) return { kind: "stays", note: done.failure }
    const theme = themeNames.find((name) => key === "theme" && name === value)
    if (theme) setTheme(theme)
    if (key === "editorMode") act({ kind: "vim", on: value === "vim" })
    if (key === "model" && typeof value === "string") act({ kind: "submit", op: { type: "set_model", model: value } })
    const note = atOnce.has(key) ? done.value : `${done.value} Applies to new sessions.`
    return to === "first" ? { kind: "goes back", to: "first", note } : { kind: "stays", note }
  }

  return {
    kind: "list",
    title: "Settings",
    empty: "",
    search: "rows",
    query,
    enterLabel: "change",
    async load() {
      const read = await port.list()
      if (!read.ok) return { why: read.failure }
      rows = read.value
      return rows.map(({ key, title, value, source }) => ({
        key,
        text: `${title}: ${shown(value)}`,
        facts: `${key} · ${source}`,
      }))
    },
    async choose({ key }) {
      const row = rows.find((one) => one.key === key)
      if (!row) return { kind: "stays" }
      if (typeof row.value === "boolean") return save(row, !row.value, "stays")
      return { kind: "opens", panel: changePanel(row, (value) => save(row, value, "first")) }
    },
  }
}

const atOnce: ReadonlySet<string> = new Set(["theme", "editorMode", "model"])

function changePanel(
  { title, value, choices }: ConfigRow,
  save: (value: JsonValue) => Promise<PanelOutcome<Effects>>,
): PanelDefinition<Effects> {
  if (choices)
    return {
      kind: "list",
      title,
      empty: "",
      search: "none",
      enterLabel: "save",
      load: async () =>
        choices.map((name) => ({ key: name, text: name, ...(name === value && { mark: "current" as const }) })),
      choose: ({ key }) => save(key),
    }
  return {
    kind: "line",
    title,
    text: shown(value),
    shown: "text",
    async submit(text) {
      if (typeof value !== "number") return save(text)
      return /^\d+$/.test(text) ? save(Number(text)) : { kind: "stays", note: "Write a whole number." }
    },
  }
}

const shown = (value: JsonValue): string =>
  typeof value === "string" ? value : typeof value === "boolean" ? (value ? "on" : "off") : JSON.stringify(value)
