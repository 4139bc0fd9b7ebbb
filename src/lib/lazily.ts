/** A value that is made when it is first needed, and only once: for what is costly to make and seldom needed. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
