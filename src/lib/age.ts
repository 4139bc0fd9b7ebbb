/** How long ago something was, in a word or two. */

const units: readonly (readonly [name: string, ms: number])[] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["week", 7 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
]

export function ageText(ms: number): string {
  for (const [name, length] of units) {
    const count = Math.floor(ms / length)
    if (count >= 1) return `${count} ${name}${count === 1 ? "" : "s"} ago`
  }
  return "just now"
}
