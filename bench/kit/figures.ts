/** What many measurements come to. */

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (Math.max(sorted.length, 1) - 1) * (percent / 100)
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? Number.NaN
  return low + (high - low) * (at - Math.floor(at))
}

/** Three digits that mean something. */
export function shown(value: number, unit: string): string {
  const digits = value >= 100 || unit === "" ? 0 : value >= 10 ? 1 : 2
  return `${value.toLocaleString("en-US", { maximumFractionDigits: digits, minimumFractionDigits: digits })}${unit === "" ? "" : ` ${unit}`}`
}
