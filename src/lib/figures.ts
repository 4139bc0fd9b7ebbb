/** Numbers in as few characters as they need. */

export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export const shortNumber = (count: number): string => {
  if (count < 1000) return String(count)
  return count < 1_000_000 ? `${trimmed(count / 1000)}k` : `${trimmed(count / 1_000_000)}M`
}

export const tokensText = (count: number): string => `${shortNumber(count)} tokens`

/** Cents; of less than one, the first digits that count. */
export function costText(usd: number): string {
  if (usd === 0 || usd >= 0.01) return `$${usd.toFixed(2)}`
  return usd < 0.000_05 ? "<$0.0001" : `$${usd.toFixed(4)}`
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${trimmed(bytes / 1000)} kB` : `${trimmed(bytes / 1_000_000)} MB`
}

/** With a comma between thousands. */
export const wholeNumber = (count: number): string => (count < 1000 ? String(count) : count.toLocaleString("en-US"))

export const counted = (count: number, one: string): string => `${wholeNumber(count)} ${one}${count === 1 ? "" : "s"}`

const trimmed = (value: number): string =>
  value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.floor(value))
