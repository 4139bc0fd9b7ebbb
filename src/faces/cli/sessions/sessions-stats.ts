/** `codewright sessions stats`: what was spent, per model and per day. */

import type { SpentRow } from "#ground/transcript/catalog.ts"
import { stripControls } from "#lib/printable.ts"
import { readNumber } from "#faces/cli/flags/numbers.ts"
import { money } from "./session-line.ts"
import type { SessionsCall } from "./sessions-call.ts"
import { useSince, useText } from "./stats-text.ts"

export async function showStats({ args, words, where, io }: SessionsCall): Promise<number> {
  if (words.length > 0) return io.fail("stats takes no arguments; use --days and --all to choose what to count.")
  const days = readNumber("--days", args.value("days") ?? "30", { least: 1, most: 36_500, whole: true })
  if (!days.ok) return io.fail(days.failure)
  const cwd = args.has("all") ? undefined : where.cwd
  const use = await useSince(days.value, cwd, where)
  const { since, rows, sessions } = use
  const total = { ...together("all", rows), sessions }
  const models = groupedBy(rows, ({ model }) => model)
  const perDay = groupedBy(rows, ({ day }) => day)
  if (args.has("json")) {
    io.write(`${JSON.stringify({ since, total, models, days: perDay }, null, 2)}\n`)
    return 0
  }
  const what = cwd === undefined ? "all folders" : cwd
  const part = (name: string, lines: readonly Sum[]): string[] => [
    "",
    name.padEnd(28) + columns.map(([title]) => title.padStart(14)).join(""),
    ...lines.map(line),
  ]
  io.write(
    `${stripControls([useText(use, what), ...part("model", models), ...part("day", perDay), ...part("", [total])].join("\n"))}\n`,
  )
  return 0
}

interface Sum extends Omit<SpentRow, "day" | "model"> {
  readonly name: string
}

const columns: readonly (readonly [string, (sum: Sum) => string])[] = [
  ["requests", ({ requests }) => requests.toLocaleString("en-US")],
  ["input", ({ inputTokens }) => inputTokens.toLocaleString("en-US")],
  ["output", ({ outputTokens }) => outputTokens.toLocaleString("en-US")],
  ["cache written", ({ cacheWriteTokens }) => cacheWriteTokens.toLocaleString("en-US")],
  ["cache read", ({ cacheReadTokens }) => cacheReadTokens.toLocaleString("en-US")],
  ["cost", ({ costUsd }) => money(costUsd)],
]

const line = (sum: Sum): string => sum.name.padEnd(28) + columns.map(([, show]) => show(sum).padStart(14)).join("")

const groupedBy = (rows: readonly SpentRow[], key: (row: SpentRow) => string): readonly Sum[] =>
  [...Map.groupBy(rows, key)].map(([name, some]) => together(name, some))

function together(name: string, rows: readonly SpentRow[]): Sum {
  const sum = (field: (row: SpentRow) => number): number => rows.reduce((total, row) => total + field(row), 0)
  return {
    name,
    requests: sum(({ requests }) => requests),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
    cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
    costUsd: sum(({ costUsd }) => costUsd),
  }
}
