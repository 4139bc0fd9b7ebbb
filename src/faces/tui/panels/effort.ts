/** The panel of effort: the levels that the model takes, and the one in use. */

import { isEffort } from "#agent/words/thinking.ts"
import type { Effect } from "#faces/tui/effect.ts"
import { effortRows } from "#session/slash/effort-text.ts"
import type { ListDefinition } from "./panel.ts"
import type { EffortPort } from "./ports.ts"

export const effortPanel = ({ overview }: EffortPort): ListDefinition<readonly Effect[]> => ({
  kind: "list",
  title: "Effort",
  about: "How many tokens the model spends on thinking, answers and tool calls.",
  empty: "This model has no effort levels.",
  search: "none",
  enterLabel: "select",
  load: async () =>
    effortRows(await overview()).map(({ level, about, isCurrent }) => ({
      key: level,
      text: level,
      facts: about,
      ...(isCurrent && { mark: "current" as const }),
    })),
  async choose({ key }) {
    const effort = isEffort(key) ? key : "auto"
    return { kind: "closes", result: [{ kind: "submit", op: { type: "set_effort", effort }, says: true }] }
  },
})
