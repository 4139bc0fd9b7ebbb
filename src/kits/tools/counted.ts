/** A number with what it counts: `1 line`, `2 lines`. */

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`
