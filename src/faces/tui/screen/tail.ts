/** The last finished rows, for as long as they may have been erased by a frame that met another screen than it was drawn for. */

export interface Tail {
  readonly take: (finished: readonly string[]) => void
  /** A frame goes up by so many rows more than we have drawn, because the terminal must have broken some: if it did not, finished ones are gone. */
  readonly doubt: (rows: number) => void
  /** The screen has another size, soon after such a frame: perhaps it had that already. The rows to write again, which may then stand there twice. */
  readonly doubtful: () => readonly string[]
}

/** Until then a frame has arrived, and we have heard how wide the screen was: some terminals tell only every quarter of a second. */
const doubtMs = 500
const mostKept = 300

export function openTail(now: () => number): Tail {
  let kept: readonly string[] = []
  let doubted: readonly string[] = []
  let until = 0
  return {
    take(finished) {
      if (finished.length > 0) kept = [...kept, ...finished].slice(-mostKept)
    },
    doubt(rows) {
      doubted = kept.slice(-rows)
      until = now() + doubtMs
    },
    doubtful() {
      const rows = now() < until ? doubted : []
      doubted = []
      return rows
    },
  }
}
