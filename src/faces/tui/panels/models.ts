/** The panel of models: which there are, and which one answers now. */

import type { Effect } from "#faces/tui/effect.ts"
import { tokensText } from "#lib/figures.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import type { ListDefinition, PanelRow } from "./panel.ts"
import type { ModelsPort } from "./ports.ts"

export const modelsPanel = (
  { list }: ModelsPort,
  current: string,
  query: string,
): ListDefinition<readonly Effect[]> => ({
  kind: "list",
  title: "Choose a model",
  about: "Prices in dollars per million tokens.",
  empty: "No models found. Use /model <name> with any model name.",
  search: "rows",
  query,
  takes: "select",
  load: async (_, signal) => (await list(signal)).map((model) => rowOf(model, current)),
  take: async ({ key }) => ({
    kind: "closes",
    result: key === current ? [] : [{ kind: "submit", op: { type: "set_model", model: key } }],
  }),
})

function rowOf({ id, aliases, window, price }: ModelRow, current: string): PanelRow {
  const facts = [
    ...(aliases.length > 0 ? [aliases.join(", ")] : []),
    tokensText(window),
    ...(price ? [`$${price.input} in, $${price.output} out`] : []),
  ]
  return { key: id, text: id, facts: facts.join(" · "), ...(id === current && { mark: "current" }) }
}
