/** A value that is set after it is handed out, and throws when read too early. */

export interface Later<Value> {
  /** Throws when the value is not set yet: a mistake in the order of construction. */
  readonly get: () => Value
  /** Call once. */
  readonly settle: (value: Value) => void
}

export function later<Value>(what: string): Later<Value> {
  let settled: { readonly value: Value } | undefined
  return {
    get() {
      if (!settled) throw new Error(`${what} cannot be used yet`)
      return settled.value
    },
    settle(value) {
      if (settled) throw new Error(`${what} is settled already`)
      settled = { value }
    },
  }
}
