/** How much is tried: little by day, much in `npm run nightly`. */

const factor = Number(process.env["CODEWRIGHT_RUNS"] ?? 1)

export const runs = (byDay: number): { readonly numRuns: number } => ({ numRuns: byDay * factor })

export const isNight: boolean = process.env["CODEWRIGHT_LONG"] === "1"

/** How large something is at night, and by day. */
export const atNight = <T>(night: T, byDay: T): T => (isNight ? night : byDay)

/** All of a list at night; by day about so many, from the whole of it. */
export const spread = <T>(all: readonly T[], byDay: number): readonly T[] =>
  all.filter((_, nth) => isNight || nth % Math.ceil(all.length / byDay) === 0)
