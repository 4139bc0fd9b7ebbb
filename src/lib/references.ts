/** Variables that a text names as `${NAME}` or `${NAME:-otherwise}`: which they are, and the text with them filled in. */

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** The names in a text, each once. */
export const referencesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(reference)].flatMap(([, name]) => name ?? [])),
]

/** The text with each put in; what has no value and no other one becomes empty and is told. */
export function withReferences(
  text: string,
  valueOf: (name: string) => string | undefined,
  onMissing: (name: string) => void,
): string {
  return text.replace(reference, (_, name: string, otherwise?: string) => {
    const value = valueOf(name) || otherwise
    if (value === undefined) onMissing(name)
    return value ?? ""
  })
}
