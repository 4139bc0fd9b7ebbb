/** Which blocks of a long column are in sight, as the page is scrolled: only those are drawn. */

import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { type Block, blocksBetween, offsetsOf } from "./review-blocks.ts"

/** Above and below what is in sight. */
const overscan = 900

export interface Windowed {
  readonly column: RefObject<HTMLDivElement | null>
  readonly from: number
  readonly until: number
  /** Of what is not drawn, before and after. */
  readonly before: number
  readonly after: number
  /** The block at the top of the window. */
  readonly top: number
  readonly goTo: (key: string) => void
}

export function useWindowed(blocks: readonly Block[]): Windowed {
  const column = useRef<HTMLDivElement>(null)
  const [measured, setMeasured] = useState<ReadonlyMap<string, number>>(() => new Map())
  const [sight, setSight] = useState({ top: 0, bottom: 1_500 })
  const offsets = useMemo(() => offsetsOf(blocks, measured), [blocks, measured])
  const range = blocksBetween(offsets, sight.top - overscan, sight.bottom + overscan)
  const goal = useRef<{ readonly key: string; tries: number } | undefined>(undefined)

  useEffect(() => {
    const ending = new AbortController()
    let frame = 0
    const measure = (): void => {
      frame = 0
      const place = column.current?.getBoundingClientRect().top ?? 0
      setSight((before) => {
        const top = -place
        // Small steps are within what is drawn already.
        return Math.abs(before.top - top) < 120 && before.bottom - before.top === innerHeight
          ? before
          : { top, bottom: top + innerHeight }
      })
    }
    const later = (): void => {
      if (frame === 0) frame = requestAnimationFrame(measure)
    }
    addEventListener("scroll", later, { passive: true, signal: ending.signal })
    addEventListener("resize", later, { signal: ending.signal })
    measure()
    return () => {
      ending.abort()
      cancelAnimationFrame(frame)
    }
  }, [])

  // What was drawn says how high it is.
  useLayoutEffect(() => {
    const drawn = [...(column.current?.querySelectorAll<HTMLElement>(":scope > [data-block]") ?? [])]
    const news = drawn
      .map((each) => [each.dataset["block"] ?? "", each.getBoundingClientRect().height] as const)
      .filter(([key, height]) => height > 0 && Math.abs((measured.get(key) ?? -1) - height) > 0.5)
    if (news.length > 0) setMeasured((before) => new Map([...before, ...news]))
  })

  useLayoutEffect(() => {
    const wanted = goal.current
    if (!wanted) return
    const nth = blocks.findIndex(({ key }) => key === wanted.key)
    if (nth < 0 || wanted.tries++ > 8) {
      goal.current = undefined
      return
    }
    const drawn = column.current?.querySelector<HTMLElement>(`[data-block="${CSS.escape(wanted.key)}"]`)
    if (drawn) {
      // What is drawn now may be higher than was thought: once more, then it stays.
      wanted.tries += 4
      drawn.scrollIntoView({ block: "start" })
      drawn.querySelector<HTMLElement>("[data-focus]")?.focus({ preventScroll: true })
      return
    }
    const place = column.current?.getBoundingClientRect().top ?? 0
    scrollTo(0, scrollY + place + (offsets[nth] ?? 0))
  })

  const goTo = useCallback((key: string): void => {
    goal.current = { key, tries: 0 }
    setSight((before) => ({ ...before }))
  }, [])

  const { from, until } = range
  return {
    column,
    from,
    until,
    before: offsets[from] ?? 0,
    after: (offsets.at(-1) ?? 0) - (offsets[until] ?? 0),
    top: Math.max(0, blocksBetween(offsets, sight.top + 60, sight.top + 60).from),
    goTo,
  }
}
