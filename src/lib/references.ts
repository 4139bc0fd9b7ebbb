/** Variables in a string, written `${NAME}` or `${NAME:-default}`: listing them and filling them in. */

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

export const referencesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(reference)].flatMap(([, name]) => name ?? [])),
]

/** A variable without value and default stays as written, and is reported. */
export function withReferences(
  text: string,
  valueOf: (name: string) => string | undefined,
  onMissing: (name: string) => void,
): string {
  if (!text.includes("${")) return text
  return text.replace(reference, (written, name: string, otherwise?: string) => {
    const value = valueOf(name) || otherwise
    if (value === undefined) onMissing(name)
    return value ?? written
  })
}
