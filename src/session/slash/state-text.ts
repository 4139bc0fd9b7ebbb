/** The state of a session as text: commands, cost, context, model, mode, tasks, styles. */

import type { AgentSpending, Budget } from "#agent/words/budget.ts"
import { budgetForms, budgetText } from "#kits/budget/amount.ts"
import type { CommandRow } from "#agent/words/command.ts"
import { modeMeanings, modeNames } from "#agent/words/mode-names.ts"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import { type ContextParts, freePart, reservedPart } from "#kits/context/parts.ts"
import type { Style } from "#kits/styles/style.ts"
import { costText, shortNumber, tokensText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { aligned } from "#lib/rows.ts"
import type { SessionState } from "#agent/words/state.ts"
import { type CommandGroup, commandGroups } from "#session/port/command.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import { currentMark, numbered } from "./rows.ts"
import { promptTokens } from "#agent/words/model.ts"

/** Grouped, each group in the order of names, with what the commands do in one column. */
export function helpText(rows: readonly (CommandRow & { readonly group?: CommandGroup })[]): string {
  const widest = Math.min(mostName, Math.max(0, ...rows.map(({ name }) => name.length)))
  const line = ({ name, takes, about }: CommandRow): string =>
    `  /${name.padEnd(widest)}  ${about}${takes === "" || takes.length > mostTakes ? "" : ` · ${takes}`}`
  return [...commandGroups, undefined]
    .flatMap((group) => {
      const own = rows.filter((row) => row.group === group).toSorted((a, b) => (a.name < b.name ? -1 : 1))
      return own.length === 0 ? [] : [[group ? groupTitles[group] : "From files and servers", ...own.map(line)]]
    })
    .map((lines) => lines.join("\n"))
    .join("\n\n")
}

const mostName = 20
/** What is longer is shown by the completion. */
const mostTakes = 24

const groupTitles: { readonly [group in CommandGroup]: string } = {
  session: "Conversation",
  context: "Context and cost",
  model: "Model and answers",
  permissions: "Permissions and workspace",
  extensions: "Extensions",
  setup: "Program and account",
}

export function costLines({ spending, costUsd, agents, budget }: SpendingState): string {
  const models = Object.entries(spending).map(([model, { usage, costUsd: own }]) => {
    const input = promptTokens(usage)
    return `${model}: ${tokensText(input)} in, ${shortNumber(usage.output_tokens)} out, ${costText(own)}`
  })
  if (models.length === 0) return "No usage yet."
  const cap = isCapped(budget) ? [`Budget: ${budgetText(budget)}`] : []
  return [...models, ...agentLines(agents), ...cap, `Total: ${costText(costUsd)}`].join("\n")
}

type SpendingState = Pick<SessionState, "spending" | "costUsd" | "agents" | "budget">

const isCapped = ({ usd, tokens }: Budget): boolean => usd !== undefined || tokens !== undefined

/** Only if someone other than the main agent spent something. */
function agentLines(agents: SessionState["agents"]): readonly string[] {
  const all = Object.entries(agents).toSorted(([, a], [, b]) => b.costUsd - a.costUsd || b.tokens - a.tokens)
  if (all.every(([who]) => who === "main")) return []
  return [
    "By agent:",
    ...all.map(
      ([who, spent]) =>
        `  ${forConsent(who)}: ${tokensText(spent.tokens)}, ${costText(spent.costUsd)}${cachedText(spent)}`,
    ),
  ]
}

const cachedText = ({ input = 0, cached = 0 }: AgentSpending): string =>
  input === 0 || cached === 0 ? "" : `, ${percent(cached, input)} of its input from the cache`

export function budgetLines({ costUsd, agents, budget }: Omit<SpendingState, "spending">): string {
  const tokens = Object.values(agents).reduce((sum, one) => sum + one.tokens, 0)
  return [
    `Budget: ${budgetText(budget)} · Spent: ${costText(costUsd)}, ${tokensText(tokens)}`,
    ...agentLines(agents),
    `/budget <amount> changes it: ${budgetForms}.`,
  ].join("\n")
}

export function contextLines({ model, window, parts }: ContextParts): string {
  const isFilled = ({ name }: ContextParts["parts"][number]): boolean => name !== reservedPart && name !== freePart
  const filled = parts.filter(isFilled)
  const used = { name: "Used", tokens: filled.reduce((sum, { tokens }) => sum + tokens, 0) }
  const rows = [...filled, used, ...parts.filter((part) => !isFilled(part))].map(({ name, tokens }) => [
    name,
    shortNumber(tokens),
    percent(tokens, window),
  ])
  return [`The context window of ${forConsent(model)} holds ${tokensText(window)}.`, ...aligned(rows)].join("\n")
}

const percent = (tokens: number, window: number): string =>
  window === 0 ? "" : `${Math.round((tokens / window) * 100)}%`

export function modelLines(models: readonly ModelRow[], current: string): string {
  if (models.length === 0) return `Model: ${current}\n/model <name> changes it.`
  const rows = models.map(({ id, aliases, window, price }) => [
    id,
    tokensText(window),
    price ? `$${price.input} in, $${price.output} out` : "",
    aliases.join(", "),
    currentMark(id === current),
  ])
  return [`Model: ${current}`, ...numbered(rows), "/model <name> changes it. Prices are per million tokens."].join("\n")
}

export const modeLines = (current: PermissionMode): string =>
  [
    `Mode: ${modeNames[current]}`,
    ...numbered(
      permissionModes.map((mode) => [mode, `${modeNames[mode]}: ${modeMeanings[mode]}`, currentMark(mode === current)]),
    ),
    "/mode <name> changes it.",
  ].join("\n")

export const styleLines = (styles: readonly Style[], current: string): string =>
  [
    `Output style: ${forConsent(current)}`,
    ...numbered(
      styles.map(({ name, description }) => [forConsent(name), forConsent(description), currentMark(name === current)]),
    ),
    "/output-style <name> changes it.",
  ].join("\n")
