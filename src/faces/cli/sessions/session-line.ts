/** A session on one line. */

import type { SessionRow } from "#ground/transcript/catalog.ts"

const mostName = 70

export function sessionLine(row: SessionRow, options: { readonly withFolder?: boolean } = {}): string {
  const folder = options.withFolder ? `  (${row.cwd})` : ""
  const cost = row.costUsd > 0 ? money(row.costUsd) : ""
  return `${row.id}  ${minute(row.changed)}  ${String(row.messages).padStart(4)}  ${cost.padStart(8)}  ${nameOf(row)}${folder}`
}

export function nameOf({ title, firstPrompt }: Pick<SessionRow, "title" | "firstPrompt">): string {
  const name = (title ?? firstPrompt).replaceAll(/\s+/g, " ").trim()
  return name.length > mostName ? `${name.slice(0, mostName - 3)}...` : name === "" ? "(no prompt)" : name
}

export const money = (usd: number): string => `$${usd < 0.995 ? usd.toFixed(3) : usd.toFixed(2)}`

export function minute(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}
