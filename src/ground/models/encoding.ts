/** What the encoders of all formats share: JSON as bytes, each made once, in memory that is used again. */

import { isObject } from "#lib/json.ts"
import type { Encoded } from "./format.ts"

const utf8 = new TextEncoder()
export const bytes = (text: string): Uint8Array => utf8.encode(text)

/** JSON that every provider can read: some refuse lone surrogates, which cut output may contain, in names as well. */
export function json(value: object): string {
  const text = JSON.stringify(value)
  if (!/\\ud[89a-f]/.test(text)) return text
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "string") return inner.toWellFormed()
    if (!isObject(inner) || Object.keys(inner).every((name) => name.isWellFormed())) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name.toWellFormed(), each]))
  })
}

export function remembered<K extends object>(
  store: WeakMap<K, Uint8Array>,
  key: K,
  make: (key: K) => Uint8Array,
): Uint8Array {
  const known = store.get(key)
  if (known) return known
  const made = make(key)
  store.set(key, made)
  return made
}

/**
 * Joins parts into reused memory: bodies are long, and a new one for each step would fill memory faster than it is
 * collected.
 */
export function openMemory(): { readonly join: (parts: readonly Uint8Array[]) => Pick<Encoded, "body" | "release"> } {
  let spare: Uint8Array<ArrayBuffer> | undefined
  return {
    join(parts) {
      let size = 0
      for (const part of parts) size += part.length
      // A conversation grows, so the next body will need some more.
      const whole = spare && spare.length >= size ? spare : new Uint8Array(Math.ceil(size * 1.25))
      // Taken: two requests at once never share memory.
      spare = undefined
      let end = 0
      for (const part of parts) {
        whole.set(part, end)
        end += part.length
      }
      const release = (): void => {
        if (!spare || spare.length < whole.length) spare = whole
      }
      return { body: whole.subarray(0, size), release }
    },
  }
}
