/** When a schedule is due: once at a time, at an interval, or by a cron expression in local time. */

import { intervalIn, intervalText, nextTime } from "#agent/words/loop.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export type ScheduleRule =
  | { readonly kind: "at"; readonly at: number }
  | { readonly kind: "every"; readonly everyMs: number; readonly since: number }
  | { readonly kind: "cron"; readonly text: string }

const leastEveryMs = 60_000
const dayMs = 24 * 3_600_000
/** February 29th can be this far away. */
const mostDays = 366 * 8

/** After `now`; undefined if it is never due again. However much time has passed, there is one next time. */
export function nextOf(rule: ScheduleRule, now: number): number | undefined {
  switch (rule.kind) {
    case "at":
      return rule.at > now ? rule.at : undefined
    case "every":
      return nextTime(rule, now)
    case "cron": {
      const fields = cronIn(rule.text)
      return fields && nextCron(fields, now)
    }
  }
}

export function ruleText(rule: ScheduleRule): string {
  switch (rule.kind) {
    case "at":
      return `at ${localTime(rule.at)}`
    case "every":
      return `every ${intervalText(rule.everyMs)}`
    case "cron":
      return `cron ${rule.text}`
  }
}

/** `2026-11-20 09:00`, in local time. */
export function localTime(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** `14:30` is the next such time, `2h` from now, or a date with a time. */
export function atRule(text: string, now: number): Result<ScheduleRule, string> {
  const trimmed = text.trim()
  const after = intervalIn(trimmed.replace(/^(?:in|\+)\s*/, ""))
  if (after !== undefined) return ok({ kind: "at", at: now + after })
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(trimmed) ?? []
  if (hours !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    const today = new Date(now)
    const on = (day: number): number =>
      new Date(today.getFullYear(), today.getMonth(), day, Number(hours), Number(minutes)).getTime()
    return ok({ kind: "at", at: on(today.getDate()) > now ? on(today.getDate()) : on(today.getDate() + 1) })
  }
  const at = /^\d{4}-\d{2}-\d{2}[ T]\d{1,2}:\d{2}/.test(trimmed)
    ? new Date(trimmed.replace(" ", "T")).getTime()
    : Number.NaN
  if (Number.isNaN(at)) return failed(`--at takes a time such as 14:30, 2h or 2026-11-20T09:00, not ${trimmed}.`)
  return at > now ? ok({ kind: "at", at }) : failed(`${trimmed} is in the past.`)
}

export function everyRule(text: string, now: number): Result<ScheduleRule, string> {
  const everyMs = intervalIn(text)
  if (everyMs === undefined || everyMs < leastEveryMs)
    return failed(`--every takes an interval of at least a minute, such as 30m, 2h or 1d, not ${text}.`)
  return ok({ kind: "every", everyMs, since: now })
}

export function cronRule(text: string, now: number): Result<ScheduleRule, string> {
  const fields = cronIn(text)
  if (!fields)
    return failed(`--cron takes five fields, minute hour day month weekday, such as "0 9 * * 1-5", not ${text}.`)
  if (nextCron(fields, now) === undefined) return failed(`There is no day that ${text} means.`)
  return ok({ kind: "cron", text: text.trim().replace(/\s+/g, " ") })
}

interface CronFields {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** With both a day and a weekday, either counts, as in cron. */
  readonly isEitherDay: boolean
}

function cronIn(text: string): CronFields | undefined {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== 5) return undefined
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = parts
  const minutes = fieldIn(minute, 0, 59)
  const hours = fieldIn(hour, 0, 23)
  const days = fieldIn(day, 1, 31)
  const months = fieldIn(month, 1, 12)
  const rawWeekdays = fieldIn(weekday, 0, 7)
  if (!minutes || !hours || !days || !months || !rawWeekdays) return undefined
  // Sunday is 0 and 7.
  const weekdays = new Set([...rawWeekdays].map((one) => one % 7))
  return { minutes, hours, days, months, weekdays, isEitherDay: !day.startsWith("*") && !weekday.startsWith("*") }
}

/** Lists, ranges and steps of numbers: `*`, `5`, `1-5`, `1,3`, and `/2` after a star or a range. */
function fieldIn(text: string, least: number, most: number): ReadonlySet<number> | undefined {
  const values = new Set<number>()
  for (const part of text.split(",")) {
    const [, range = "", from, to, step = "1"] = /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    if (range === "" || Number(step) < 1) return undefined
    const first = from === undefined ? least : Number(from)
    const last = range === "*" ? most : to === undefined ? first : Number(to)
    if (first < least || last > most || first > last) return undefined
    for (let value = first; value <= last; value += Number(step)) values.add(value)
  }
  return values
}

function nextCron(fields: CronFields, now: number): number | undefined {
  let at = (Math.floor(now / 60_000) + 1) * 60_000
  for (let days = 0; days < mostDays; days++) {
    const date = new Date(at)
    const tomorrow = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime()
    if (isDay(fields, date))
      for (; at < tomorrow; at += 60_000) {
        const time = new Date(at)
        if (fields.hours.has(time.getHours()) && fields.minutes.has(time.getMinutes())) return at
      }
    // A day that the clock leaves out has no midnight of its own.
    at = tomorrow > date.getTime() ? tomorrow : at + dayMs
  }
  return undefined
}

function isDay({ days, months, weekdays, isEitherDay }: CronFields, date: Date): boolean {
  if (!months.has(date.getMonth() + 1)) return false
  const [day, weekday] = [days.has(date.getDate()), weekdays.has(date.getDay())]
  return isEitherDay ? day || weekday : day && weekday
}
