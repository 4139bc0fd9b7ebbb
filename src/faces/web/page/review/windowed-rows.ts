/** Which rows of a long list are in sight, where all of them are equally high: only those are drawn. */

import { type RefObject, useCallback, useEffect, useRef, useState } from "react"

/** In the unit of the style, which browsers change with the size of the text. */
const rowRem = 1.9
/** Above and below what is in sight. */
const overscan = 12
/** So many are drawn at once without anybody noticing. */
const fewRows = 120

export interface WindowedRows {
  readonly list: RefObject<HTMLUListElement | null>
  readonly from: number
  readonly until: number
  /** Heights of what is not drawn. */
  readonly before: string
  readonly after: string
  readonly onScroll: () => void
}

/** `current` is kept in sight when it changes. */
export function useWindowedRows(count: number, current: number): WindowedRows {
  const list = useRef<HTMLUListElement>(null)
  const [sight, setSight] = useState({ first: 0, most: 60 })
  const isShort = count <= fewRows
  const measure = useCallback((): void => {
    const { current: shown } = list
    if (!shown) return
    const first = Math.floor(shown.scrollTop / rowHeight())
    const most = Math.ceil(shown.clientHeight / rowHeight())
    setSight((known) => (Math.abs(known.first - first) < overscan / 2 && known.most === most ? known : { first, most }))
  }, [])
  useEffect(measure, [measure, count])
  useEffect(() => {
    const { current: shown } = list
    if (!shown || current < 0) return
    const top = current * rowHeight()
    if (top < shown.scrollTop || top + rowHeight() > shown.scrollTop + shown.clientHeight)
      shown.scrollTop = Math.max(0, top - shown.clientHeight / 2)
  }, [current])
  const from = isShort ? 0 : Math.max(0, Math.min(sight.first, count) - overscan)
  const until = isShort ? count : Math.min(count, sight.first + sight.most + overscan)
  return {
    list,
    from,
    until,
    before: `${from * rowRem}rem`,
    after: `${(count - until) * rowRem}rem`,
    onScroll: measure,
  }
}

const rowHeight = (): number => rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
