/** Agents that work beside the conversation, a row each. */

import type { BesideAgent } from "#faces/tui/beside.ts"
import { bold, colourNamed, dim, yellow } from "#faces/tui/screen/style.ts"
import { fitted } from "#faces/tui/screen/width.ts"
import { counted, durationText, tokensText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"

const mostAgents = 4

/** Below the prompt. */
export function agentRows(agents: readonly BesideAgent[], columns: number, now: number): string[] {
  if (agents.length === 0) return []
  const shown = agents.slice(0, mostAgents)
  const rest = agents.length - shown.length
  const words = `${rest > 0 ? `… ${rest} more · ` : ""}↓ to open, /tasks while you write`
  return [
    ...shown.map((agent) =>
      fitted(
        `  ${headOf(agent)} ${dim(`· ${[...factsOf(agent, columns, now), doingOf(agent)].join(" · ")}`)}`,
        columns,
      ),
    ),
    fitted(dim(`  ${words}`), columns),
  ]
}

/** In the column: what each does stands below its name, if there is room. */
export const agentColumn = (
  agents: readonly BesideAgent[],
  columns: number,
  now: number,
  detail: "brief" | "full",
): string[] =>
  agents.flatMap((agent) => [
    fitted(`${headOf(agent)} ${dim(durationText(now - agent.since))}`, columns),
    ...(detail === "full" ? [fitted(dim(`  ${doingOf(agent)}`), columns)] : []),
  ])

const headOf = ({ type, description, color }: BesideAgent): string =>
  `${yellow("●")} ${colourNamed(color)(bold(forConsent(type)))} ${forConsent(description)}`

/** Below this many columns, what it does says more than figures. */
const narrow = 80

const factsOf = ({ toolUses, tokens, since }: BesideAgent, columns: number, now: number): readonly string[] => [
  durationText(now - since),
  ...(columns < narrow ? [] : [counted(toolUses, "tool use")]),
  ...(columns < narrow || tokens === 0 ? [] : [tokensText(tokens)]),
]

const doingOf = ({ doing }: BesideAgent): string => forConsent(doing ?? "thinking")
