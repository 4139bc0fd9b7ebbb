/**
 * JSON as models write it. Slips that can only mean one thing are read: line breaks inside strings, commas before a
 * closing bracket, the words of Python, a code fence around it, a value that was encoded twice. Anything else fails.
 */

import type { JsonValue } from "./json.ts"
import { failed, ok, type Result } from "./result.ts"

export interface BadJson {
  /** `broke off`: it just ends. */
  readonly kind: "broke off" | "malformed"
  readonly why: string
}

export function readLenient(text: string): Result<JsonValue, BadJson> {
  const plain = parsed(text)
  if (plain.ok) return unwrapped(plain.value)
  const inner = /^\s*```(?:json)?[ \t]*\n(.*?)\n?```\s*$/s.exec(text)?.[1] ?? text
  const { json, rest, isOpen } = corrected(inner)
  if (isOpen && /[\]}]\s*$/.test(inner))
    return failed({ kind: "malformed", why: "a bracket or a quote is missing, or a quote in a string is not escaped" })
  if (isOpen) return failed({ kind: "broke off", why: "it ends inside a string, a list or an object" })
  const first = parsed(json)
  if (!first.ok || rest.trim() === "") return first.ok ? unwrapped(first.value) : first
  // Some servers send an empty object before the real one.
  return json.replace(/\s/g, "") === "{}"
    ? readLenient(rest)
    : failed({ kind: "malformed", why: "text follows its end" })
}

function parsed(text: string): Result<JsonValue, BadJson> {
  try {
    return ok(JSON.parse(text) as JsonValue)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^JSON Parse error: /, "") : String(error)
    return failed({ kind: "malformed", why })
  }
}

/** A string that is an object is meant as one. */
function unwrapped(value: JsonValue): Result<JsonValue, BadJson> {
  const inner = typeof value === "string" && /^\s*\{/.test(value) ? parsed(value) : undefined
  return inner?.ok ? inner : ok(value)
}

const words: { readonly [word: string]: string } = { True: "true", False: "false", None: "null" }

/** The first value with its slips corrected, what follows it, and whether it lacks its end. */
function corrected(text: string): { readonly json: string; readonly rest: string; readonly isOpen: boolean } {
  let json = ""
  let depth = 0
  // Strings with their escapes, words, commas before a bracket, brackets, anything else.
  const token = /"(?:[^"\\]|\\.)*"|[A-Za-z]+|,(?=\s*[}\]])|[[{]|[\]}]|[^]/gsu
  for (const { 0: piece, index } of text.matchAll(token)) {
    if (piece === '"') return { json, rest: "", isOpen: true }
    if (piece === "{" || piece === "[") depth++
    if (piece.startsWith('"')) json += piece.replace(/\p{Cc}/gu, escaped)
    else if (piece.startsWith(",") && /^,\s*[}\]]/.test(text.slice(index))) continue
    else json += Object.hasOwn(words, piece) ? words[piece] : piece
    if ((piece === "}" || piece === "]") && --depth === 0) return { json, rest: text.slice(index + 1), isOpen: false }
  }
  return { json, rest: "", isOpen: depth > 0 }
}

const escaped = (character: string): string => JSON.stringify(character).slice(1, -1)
