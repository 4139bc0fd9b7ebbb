/** A value created on first use and only once, for what is costly to create and seldom needed. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
