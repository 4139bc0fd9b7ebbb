/** How answers leave the server: never kept by anybody, and nothing in them is run. */

import type { JsonObject } from "#lib/json.ts"
import { type Refusal, statusOf } from "./refusal.ts"

export const plainHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const

export const json = (status: number, body: JsonObject): Response =>
  Response.json(body, { status, headers: plainHeaders })

export const nothing = (headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 204, headers: { ...plainHeaders, ...headers } })

export const told = (refused: Refusal): Response => json(statusOf(refused), { error: { ...refused } })
