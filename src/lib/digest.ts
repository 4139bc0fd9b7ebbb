/** A short digest of a plain value. Values that say the same have the same one, in whatever order their fields come. */

export const digestOf = (value: unknown): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(value, sortedFields)).digest("hex").slice(0, 32)

function sortedFields(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
