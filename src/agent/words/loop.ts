/** A prompt that a session repeats while it is open. */

export interface Loop {
  readonly loopId: string
  readonly everyMs: number
  readonly prompt: string
  /** When it was set, in milliseconds since the epoch, as the next one. */
  readonly since: number
  readonly nextAt: number
  /** How often it was sent. */
  readonly sent: number
  /** The user ended it. */
  readonly stopped?: true
}

export const leastEveryMs = 10_000
export const mostEveryMs: number = 7 * 24 * 3_600_000

const units: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30s`, `10m`, `2h`, `1d`; undefined for anything else. */
export function intervalIn(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})\s*([smhd])[a-z]*$/i.exec(text.trim()) ?? []
  const ms = units[unit?.toLowerCase() ?? ""]
  return count === undefined || ms === undefined ? undefined : Number(count) * ms
}

/** In the largest unit that fits. */
export function intervalText(ms: number): string {
  const [unit, size] = Object.entries(units).findLast(([, one]) => ms >= one && ms % one === 0) ?? ["s", 1_000]
  return `${Math.round(ms / size)}${unit}`
}

/** The next multiple of the interval after now; never further away than one interval, whatever the clock did. */
export function nextTime({ since, everyMs }: Pick<Loop, "since" | "everyMs">, now: number): number {
  const next = since + (Math.floor((now - since) / everyMs) + 1) * everyMs
  return Math.min(Math.max(next, now + 1), now + everyMs)
}

/** For whoever asks. */
export function loopReport(loop: Loop | undefined, now: number): string {
  if (!loop || loop.stopped) return "There is no loop. Start one with /loop 10m <prompt>."
  const left = Math.max(0, Math.ceil((loop.nextAt - now) / 60_000))
  const next = left <= 1 ? "within a minute" : `in ${left} minutes`
  return [
    `Every ${intervalText(loop.everyMs)}: ${loop.prompt}`,
    `Sent ${loop.sent} ${loop.sent === 1 ? "time" : "times"}, next ${next}.`,
    "/loop stop ends it.",
  ].join("\n")
}
