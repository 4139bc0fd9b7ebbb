/** A value that is known later than it is handed out, and says so when it is wanted too early. */

export interface Later<Value> {
  /** Throws when the value is not there yet: a mistake in the order of making things. */
  readonly get: () => Value
  /** Once. */
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
