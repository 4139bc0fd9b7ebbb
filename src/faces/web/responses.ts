/** How answers leave the server: never kept by anybody, and nothing in them is run. */

import type { JsonObject } from "#lib/json.ts"
import { type Refusal, statusOf } from "./refusal.ts"

export const plainHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const

type More = Readonly<Record<string, string>>

export const json = (status: number, body: JsonObject, headers: More = {}): Response =>
  Response.json(body, { status, headers: { ...plainHeaders, ...headers } })

/** With a mark of what it is: whoever has it already is only told so. */
export function markedJson(request: Request, status: number, body: JsonObject): Response {
  const text = JSON.stringify(body)
  const headers = { ...plainHeaders, etag: `"${Bun.hash(text).toString(36)}"` }
  if (request.headers.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers })
  return new Response(text, { status, headers: { ...headers, "content-type": "application/json;charset=utf-8" } })
}

export const nothing = (headers: More = {}): Response =>
  new Response(null, { status: 204, headers: { ...plainHeaders, ...headers } })

export const refusalResponse = (refused: Refusal, headers: More = {}): Response =>
  json(statusOf(refused), { error: { ...refused } }, headers)
