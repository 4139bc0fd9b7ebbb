/** When somebody does not want to be told: hours of every day where they live. */

export interface QuietHours {
  /** As `22:00`. */
  readonly from: string
  /** Before `from` if the night is meant. */
  readonly to: string
  /** Such as `Europe/Berlin`: summer and winter are those of this place. */
  readonly zone: string
}

const minuteMs = 60_000

/** When somebody may be told; now, unless these are quiet hours. */
export function quietUntil(hours: QuietHours | undefined, now: number): number {
  if (!hours || isUnending(hours)) return now
  const clock = clockOf(hours.zone)
  if (!isQuiet(hours, clock(now))) return now
  // Minute by minute: the clock of a place may jump over the end, or come to it twice.
  let at = Math.floor(now / minuteMs) * minuteMs + minuteMs
  while (isQuiet(hours, clock(at))) at += minuteMs
  return at
}

/** What is wrong with them: a sentence, or nothing. */
export function quietHoursProblem(hours: QuietHours): string | undefined {
  const { from, to, zone } = hours
  for (const time of [from, to])
    if (!/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time)) return `Write times as 22:00, not ${JSON.stringify(time)}.`
  if (isUnending(hours)) return "Quiet hours end at another time than they begin."
  try {
    clockOf(zone)
    return undefined
  } catch {
    return `There is no time zone ${JSON.stringify(zone)}. Use a name such as Europe/Berlin.`
  }
}

const isUnending = ({ from, to }: QuietHours): boolean => from === to

const isQuiet = ({ from, to }: QuietHours, time: string): boolean =>
  from < to ? from <= time && time < to : from <= time || time < to

/** The time of day in a place, as `07:05`. */
function clockOf(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
  return (at) => format.format(at)
}
