/** How full the context window may get before something is done about it. */

export interface Window {
  readonly window: number
  readonly maxOutput: number
}

export type Trigger = ({ readonly kind: "formula" } | { readonly kind: "percent"; readonly percent: number }) & {
  /** At this many tokens at the latest. */
  readonly mostTokens?: number
}

export interface Levels {
  readonly window: number
  /** The window without the reserve for the next answer. */
  readonly effective: number
  /** From here on the user sees how much is left. */
  readonly warning: number
  /** From here on the conversation is compacted before the next request. */
  readonly auto: number
  /** From here on nothing is sent, if compaction is off. */
  readonly blocking: number
}

const mostReserve = 20_000
const warningMargin = 20_000
const autoMargin = 13_000
const blockingMargin = 3_000

/** The margins are meant for windows of 100,000 tokens and more; for a smaller window they are shares of it. */
export function levelsOf({ window, maxOutput }: Window, trigger: Trigger): Levels {
  const effective = window - Math.min(maxOutput, mostReserve, Math.floor(window / 4))
  const below = (margin: number, share: number): number => effective - Math.min(margin, Math.floor(effective / share))
  const blocking = below(blockingMargin, 24)
  const usual =
    trigger.kind === "formula"
      ? below(autoMargin, 6)
      : Math.min(blocking, Math.floor((effective * trigger.percent) / 100))
  const auto = Math.min(usual, trigger.mostTokens ?? usual)
  return { window, effective, auto, blocking, warning: Math.min(below(warningMargin, 4), auto) }
}

/** Parses the setting: `"formula"`, `"80%"`, or a number of percent. */
export function readTrigger(value: unknown): Trigger | undefined {
  if (value === "formula") return { kind: "formula" }
  const percent = typeof value === "string" ? percentIn(value) : value
  if (typeof percent !== "number" || !Number.isFinite(percent) || percent < 1 || percent > 100) return undefined
  return { kind: "percent", percent }
}

function percentIn(text: string): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)\s*%?\s*$/.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
