/** The panel of output styles: what each does, and the one in use. */

import type { Effect } from "#faces/tui/effect.ts"
import type { ListDefinition } from "./panel.ts"
import type { StylesPort } from "./ports.ts"

export const stylesPanel = ({ overview }: StylesPort): ListDefinition<readonly Effect[]> => ({
  kind: "list",
  title: "Output style",
  about: "Applies after /clear and in new sessions.",
  empty: "",
  search: "none",
  enterLabel: "select",
  async load() {
    const { chosen, list } = await overview()
    return list.map(({ name, description }) => ({
      key: name,
      text: name,
      facts: description,
      ...(name === chosen && { mark: "current" as const }),
    }))
  },
  choose: async ({ key, mark }) => ({
    kind: "closes",
    result: mark === "current" ? [] : [{ kind: "submit", op: { type: "set_style", style: key } }],
  }),
})
