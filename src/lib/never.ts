/** Closes a switch over a union: a new member does not compile until it is handled. */
export function never(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`)
}
