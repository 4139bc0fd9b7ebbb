/** What was cut, newest last: to bring back, and to go through. */

export interface Kills {
  readonly ring: readonly string[]
  /** Whether the last key cut, so that the next cut adds to it. */
  readonly cutting: boolean
  /** What the last key pasted: where it is, and its age in the ring. */
  readonly yanked: { readonly from: number; readonly to: number; readonly back: number } | undefined
}

export const noKills: Kills = { ring: [], cutting: false, yanked: undefined }

const most = 30

/** Consecutive cuts form one text. `side`: where it was, seen from the cursor. */
export function killed({ ring, cutting }: Kills, text: string, side: "before" | "after"): Kills {
  if (text === "") return { ring, cutting: true, yanked: undefined }
  const last = cutting ? (ring.at(-1) ?? "") : ""
  const whole = side === "before" ? text + last : last + text
  const rest = cutting ? ring.slice(0, -1) : ring
  return { ring: [...rest.slice(1 - most), whole], cutting: true, yanked: undefined }
}

/** After any other key. */
export const settled = (kills: Kills): Kills =>
  kills.cutting || kills.yanked ? { ring: kills.ring, cutting: false, yanked: undefined } : kills
