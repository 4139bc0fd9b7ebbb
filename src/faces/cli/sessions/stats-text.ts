/** What was used over time, as bars: per day and per model. */

import { type SpentRow, withCatalog } from "#ground/transcript/catalog.ts"
import { systemClock } from "#lib/clock.ts"
import { costText, counted, shortNumber, tokensText } from "#lib/figures.ts"
import { forConsent } from "#lib/printable.ts"
import { tilde } from "#lib/tilde.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { type ProgramParts, refused, said } from "#faces/cli/terminal/program-parts.ts"
import { minute } from "./session-line.ts"
import { whereWeAre } from "#faces/cli/where.ts"

export interface Use {
  readonly since: string
  readonly rows: readonly SpentRow[]
  readonly sessions: number
  readonly perDay: ReadonlyMap<string, number>
}

/** `cwd` undefined: in all folders. */
export async function useSince(
  days: number,
  cwd: string | undefined,
  where: { readonly catalog: string; readonly projects: string },
): Promise<Use> {
  const since = minute(systemClock.now() - (days - 1) * 86_400_000).slice(0, 10)
  return withCatalog({ file: where.catalog, projects: where.projects }, async (catalog) => ({
    since,
    rows: await catalog.spent(since, cwd),
    sessions: await catalog.sessionsSince(since, cwd),
    perDay: new Map((await catalog.sessionsPerDay(since, cwd)).map(({ day, count }) => [day, count])),
  }))
}

/** `/stats`, `/stats 7`, `/stats all`. */
export async function statsAnswer(words: string, { setting }: ProgramParts): Promise<SlashAnswer> {
  const asked = /^(?:(\d{1,5})\b\s*)?(all)?$/.exec(words.trim())
  if (!asked || asked[1] === "0")
    return refused("/stats takes a number of days, all (for all folders), or both: /stats 7 all")
  const [, days = "30", all] = asked
  const where = whereWeAre()
  const use = await useSince(Number(days), all === undefined ? setting.cwd : undefined, where)
  const place =
    all === undefined ? `${tilde(setting.cwd, setting.home)} (all folders: /stats ${days} all)` : "all folders"
  return said(useText(use, place))
}

export function useText({ since, rows, sessions, perDay }: Use, place: string): string {
  if (rows.length === 0) return `No usage since ${since} in ${place}.`
  const days = summed(rows, ({ day }) => day)
  const models = summed(rows, ({ model }) => model).toSorted((a, b) => b.tokens - a.tokens)
  const total = models.reduce((sum, { tokens }) => sum + tokens, 0)
  const cost = models.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return [
    `Since ${since} in ${place}: ${counted(sessions, "session")}, ${tokensText(total)}, ${costText(cost)}`,
    "",
    "Tokens per day",
    ...chart(days, ({ name }) => counted(perDay.get(name) ?? 0, "session")),
    "",
    "Tokens per model",
    ...chart(models, ({ tokens }) => `${Math.round((tokens / Math.max(1, total)) * 100)}%`),
  ].join("\n")
}

interface Sum {
  readonly name: string
  readonly tokens: number
  readonly costUsd: number
}

function summed(rows: readonly SpentRow[], key: (row: SpentRow) => string): readonly Sum[] {
  return [...Map.groupBy(rows, key)].map(([name, some]) => ({
    name: forConsent(name),
    tokens: some.reduce((sum, row) => sum + tokensOf(row), 0),
    costUsd: some.reduce((sum, row) => sum + row.costUsd, 0),
  }))
}

const tokensOf = ({ inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens }: SpentRow): number =>
  inputTokens + outputTokens + cacheWriteTokens + cacheReadTokens

/** A row fits into sixty columns. */
const barWidth = 14
const eighths: readonly string[] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

function chart(sums: readonly Sum[], besides: (sum: Sum) => string): readonly string[] {
  const most = Math.max(1, ...sums.map(({ tokens }) => tokens))
  const widest = Math.max(...sums.map(({ name }) => name.length))
  return sums.map((sum) => {
    const steps = Math.max(sum.tokens > 0 ? 1 : 0, Math.round((sum.tokens / most) * barWidth * 8))
    const bar = "█".repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? "")
    const figures = [shortNumber(sum.tokens).padStart(5), costText(sum.costUsd).padStart(8), besides(sum)].join("  ")
    return `  ${sum.name.padEnd(widest)}  ${bar.padEnd(barWidth)}  ${figures}`
  })
}
