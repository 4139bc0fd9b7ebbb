import { expect, test } from "bun:test"
import { type QuietHours, quietHoursProblem, quietUntil } from "#fleet/quiet-hours.ts"

const night: QuietHours = { from: "22:00", to: "07:00", zone: "Europe/Berlin" }

const ends = (at: string, hours: QuietHours | undefined = night): string =>
  new Date(quietUntil(hours, Date.parse(at))).toISOString()

test("a night is quiet where somebody lives, over midnight and when the clocks change", () => {
  expect(ends("2026-01-10T20:59:59.500Z")).toBe("2026-01-10T20:59:59.500Z")
  expect(ends("2026-01-10T21:00:00.000Z")).toBe("2026-01-11T06:00:00.000Z")
  expect(ends("2026-01-11T00:30:12.000Z")).toBe("2026-01-11T06:00:00.000Z")
  expect(ends("2026-01-11T06:00:00.000Z")).toBe("2026-01-11T06:00:00.000Z")
  // An hour is left out in March, and comes twice in October.
  expect(ends("2026-03-28T22:00:00.000Z")).toBe("2026-03-29T05:00:00.000Z")
  expect(ends("2026-10-24T22:00:00.000Z")).toBe("2026-10-25T06:00:00.000Z")
})

test("an end that the clock jumps over, or comes to twice, is the first one; a day may be quiet, and zones have half hours", () => {
  const early = { ...night, to: "02:30" }
  expect(ends("2026-03-29T00:00:00.000Z", early)).toBe("2026-03-29T01:00:00.000Z")
  expect(ends("2026-10-24T23:00:00.000Z", early)).toBe("2026-10-25T00:30:00.000Z")
  const day = { from: "09:00", to: "17:30", zone: "Asia/Kolkata" }
  expect(ends("2026-06-01T03:29:00.000Z", day)).toBe("2026-06-01T03:29:00.000Z")
  expect(ends("2026-06-01T03:30:00.000Z", day)).toBe("2026-06-01T12:00:00.000Z")
  expect(quietUntil(undefined, 5)).toBe(5)
  expect(quietUntil({ ...night, to: night.from }, 5)).toBe(5)
})

test("what are no hours is said", () => {
  expect(quietHoursProblem(night)).toBeUndefined()
  expect(quietHoursProblem({ ...night, from: "24:00" })).toContain("Write times as 22:00")
  expect(quietHoursProblem({ ...night, to: "7" })).toContain('not "7"')
  expect(quietHoursProblem({ ...night, to: "22:00" })).toContain("another time")
  expect(quietHoursProblem({ ...night, zone: "Mars/Base" })).toContain('no time zone "Mars/Base"')
})
