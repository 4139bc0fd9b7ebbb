/** Budgets as people write them: `5`, `$2.50`, `200k tokens`, `none`. */

import type { Budget } from "#agent/words/budget.ts"
import { tokensText } from "#lib/figures.ts"
import { failed, ok, type Result } from "#lib/result.ts"

const amount = /^(\$)?(\d+(?:[.,]\d+)?)\s*([km])?\s*(tokens?|usd|dollars?)?$/i
const sizes: { readonly [letter: string]: number } = { k: 1_000, m: 1_000_000 }
const most = 1e15

export const budgetForms = "5, $2.50, 200k tokens or none"

/** Money and tokens may both be given, separated by "and" or a comma. */
export function readBudget(text: string): Result<Budget, string> {
  if (/^(?:none|off|no limit|unlimited)$/i.test(text.trim())) return ok({})
  const parts = text.trim().split(/\s*(?:,\s+|\band\b)\s*/i)
  const read = parts.map(readOne)
  const unread = read.findIndex((one) => one === undefined)
  if (unread !== -1) return failed(`"${parts[unread] ?? ""}" is not a budget. Write ${budgetForms}.`)
  return ok(Object.assign({}, ...read))
}

function readOne(text: string): Budget | undefined {
  const [, dollar, digits = "", size, unit = ""] = amount.exec(text) ?? []
  const count = Number(digits.replace(",", ".")) * (sizes[size?.toLowerCase() ?? ""] ?? 1)
  if (digits === "" || count > most) return undefined
  // A suffix for thousands always means tokens, and a dollar sign never does.
  const isTokens = /^token/i.test(unit) || (size !== undefined && unit === "")
  if (isTokens) return dollar ? undefined : { tokens: Math.round(count) }
  return size === undefined ? { usd: count } : undefined
}

export const dollars = (usd: number): string => `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`

export function budgetText({ usd, tokens }: Budget): string {
  const parts = [
    ...(usd === undefined ? [] : [`$${usd.toFixed(2)}`]),
    ...(tokens === undefined ? [] : [tokensText(tokens)]),
  ]
  return parts.length === 0 ? "none" : parts.join(" and ")
}
