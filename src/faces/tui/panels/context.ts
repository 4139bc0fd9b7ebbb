/** The panel of the context: what fills it, as bars. */

import { shortNumber } from "#lib/figures.ts"
import type { ListDefinition, PanelRow } from "./panel.ts"
import type { ContextParts, ContextPort } from "./ports.ts"

const barWidth = 20

export const contextPanel = <T>({ parts }: ContextPort, closed: T): ListDefinition<T> => ({
  kind: "list",
  purpose: "reads",
  title: "Context",
  empty: "The context is empty.",
  search: "none",
  enterLabel: "close",
  load: async (_, signal) => rowsOf(await parts(signal)),
  choose: async () => ({ kind: "closes", result: closed }),
})

function rowsOf({ window, parts }: ContextParts): readonly PanelRow[] {
  const filled = parts.filter(({ name }) => name !== free)
  const used = filled.reduce((sum, { tokens }) => sum + tokens, 0)
  const all = [...filled, { name: "Used in all", tokens: used }, { name: free, tokens: Math.max(0, window - used) }]
  const digits = Math.max(...all.map(({ tokens }) => shortNumber(tokens).length))
  return all.map(({ name, tokens }): PanelRow => {
    const share = window === 0 ? 0 : tokens / window
    const drawn = name === free ? " ".repeat(barWidth) : bar(share)
    return {
      key: name,
      text: name,
      // Figures before the bar: where there is no room, the bar goes first.
      facts: `${shortNumber(tokens).padStart(digits)}  ${percent(share).padStart(4)}  ${drawn}`,
    }
  })
}

/** Not drawn as a bar. */
const free = "Free"

const eighths: readonly string[] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

function bar(share: number): string {
  const steps = Math.round(Math.min(1, share) * barWidth * 8)
  const part = eighths[steps % 8] ?? ""
  const full = "█".repeat(Math.floor(steps / 8)) + part
  return full + "░".repeat(barWidth - Math.ceil(steps / 8))
}

const percent = (share: number): string => `${share > 0 && share < 0.01 ? "<1" : Math.round(share * 100)}%`
