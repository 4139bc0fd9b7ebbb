/** The panel of models: which there are, of all providers, and which one answers now. */

import type { Effect } from "#faces/tui/effect.ts"
import { tokensText } from "#lib/figures.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import type { ListDefinition, PanelRow } from "./panel.ts"
import type { ModelsPort } from "./ports.ts"
import { keyOf } from "./providers.ts"

export function modelsPanel(
  { list, more, providers }: ModelsPort,
  current: string,
  query: string,
): ListDefinition<readonly Effect[]> {
  let asked: readonly ModelRow[] = []
  let rows: readonly ModelRow[] = []
  return {
    kind: "list",
    title: "Choose a model",
    about: "Prices in dollars per million tokens.",
    empty: "No models found. Use /model <name> with any model name.",
    search: "rows",
    query,
    enterLabel: "select",
    async load(_, signal) {
      rows = merged(await list(signal), asked)
      const shown = rows.map((model) => rowOf(model, current))
      // Its provider may not have answered yet.
      return rows.some(({ id }) => id === current)
        ? shown
        : [{ key: current, text: current, mark: "current" }, ...shown]
    },
    async choose({ key }) {
      const needs = rows.find(({ id }) => id === key)?.needs
      if (!needs)
        return {
          kind: "closes",
          result: key === current ? [] : [{ kind: "submit", op: { type: "set_model", model: key }, says: true }],
        }
      if (!providers || !needs.key) return { kind: "stays", note: needs.words }
      return {
        kind: "opens",
        panel: keyOf(providers, needs.key, (_, message) => ({
          kind: "goes back",
          to: "first",
          note: message,
        })),
      }
    },
    // Servers may be slow to answer: what is known is shown at once.
    ...(more && {
      watch(changed) {
        const own = new AbortController()
        asked = []
        more((found) => {
          if (own.signal.aborted) return
          asked = [...asked, ...found]
          changed()
        }, own.signal)
        return () => own.abort()
      },
    }),
  }
}

/** Each once, each provider's together, and those that can be used first. */
function merged(known: readonly ModelRow[], asked: readonly ModelRow[]): readonly ModelRow[] {
  const ids = new Set(known.map(({ id }) => id))
  const all = [...known, ...asked.filter(({ id }) => !ids.has(id))]
  const rank = ({ needs, isPlay }: ModelRow): number => (needs ? 2 : isPlay ? 1 : 0)
  return [0, 1, 2]
    .map((wanted) => all.filter((row) => rank(row) === wanted))
    .flatMap((rows) => [...Map.groupBy(rows, ({ who }) => who).values()].flat())
}

function rowOf({ id, aliases, window, price, who, needs }: ModelRow, current: string): PanelRow {
  const facts = needs
    ? [needs.words]
    : [
        ...(aliases.length > 0 ? [aliases.join(", ")] : []),
        tokensText(window),
        ...(price ? [`$${price.input} in, $${price.output} out`] : []),
      ]
  return {
    key: id,
    text: id,
    facts: facts.join(" · "),
    ...(who !== undefined && { group: who }),
    ...(id === current && { mark: "current" }),
  }
}
