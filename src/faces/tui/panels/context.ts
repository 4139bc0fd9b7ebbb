/** The panel of the context: what fills it, as bars. */

import { shortNumber, tokensText } from "#lib/figures.ts"
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

function rowsOf({ model, window, parts }: ContextParts): readonly PanelRow[] {
  const filled = parts.filter(({ name }) => !unfilled.includes(name))
  const used = { name: "Used", tokens: filled.reduce((sum, { tokens }) => sum + tokens, 0) }
  const all = [...filled, used, ...parts.filter(({ name }) => unfilled.includes(name))]
  const digits = Math.max(...all.map(({ tokens }) => shortNumber(tokens).length))
  const head = { key: "model", text: model, facts: tokensText(window) }
  const rows = all.map(({ name, tokens }): PanelRow => {
    const share = window === 0 ? 0 : tokens / window
    return {
      key: name,
      text: name,
      // Figures before the bar: where there is no room, the bar goes first.
      facts: `${shortNumber(tokens).padStart(digits)}  ${percent(share).padStart(4)}  ${bar(share)}`,
    }
  })
  return [head, ...rows]
}

/** As the session names them. */
const unfilled: readonly string[] = ["Reserved for answers", "Free"]

const eighths: readonly string[] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

function bar(share: number): string {
  const steps = Math.round(Math.min(1, share) * barWidth * 8)
  const part = eighths[steps % 8] ?? ""
  const full = "█".repeat(Math.floor(steps / 8)) + part
  return full + "░".repeat(barWidth - Math.ceil(steps / 8))
}

const percent = (share: number): string => `${share > 0 && share < 0.01 ? "<1" : Math.round(share * 100)}%`
