/** Lines that belong together: those after a backslash, those of one paste, and those that arrive at once. */

import type { Clock } from "#lib/clock.ts"

/** Nobody types two lines this fast: they were pasted into a terminal that does not mark pastes. */
const togetherMs = 25

export interface LineJoin {
  readonly push: (line: string) => void
  readonly pasteStarts: () => void
  readonly pasteEnds: () => void
  /** Drops an incomplete text; false if there is none. */
  readonly drop: () => boolean
  /** Hands over what there is: no more lines will come. */
  readonly end: () => void
}

/** `onText` gets each complete text; `continues` is called if the next line belongs to it. */
export function openLineJoin(parts: {
  readonly clock: Clock
  readonly onText: (text: string) => void
  readonly continues: () => void
}): LineJoin {
  let lines: readonly string[] = []
  let isPasting = false
  let cancel: () => void = () => {}

  function flush(): void {
    cancel()
    const text = lines.join("\n")
    if (lines.length === 0) return
    lines = []
    parts.onText(text)
  }

  return {
    push(line) {
      cancel()
      const goesOn = !isPasting && /(?<!\\)(?:\\\\)*\\$/.test(line)
      lines = [...lines, goesOn ? line.slice(0, -1) : line]
      if (goesOn) parts.continues()
      else if (!isPasting) cancel = parts.clock.after(togetherMs, flush)
    },
    pasteStarts() {
      isPasting = true
      cancel()
    },
    pasteEnds() {
      isPasting = false
      if (lines.length > 0) parts.continues()
    },
    drop() {
      const had = lines.length > 0
      cancel()
      lines = []
      return had
    },
    end: flush,
  }
}
