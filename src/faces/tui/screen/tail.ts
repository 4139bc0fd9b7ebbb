/** The last finished rows, for as long as they may have been erased by a frame that met another screen than it was drawn for. */

export interface Tail {
  readonly push: (finished: readonly string[]) => void
  /**
   * The frame goes up further than we drew, assuming that the terminal wrapped rows: if it did not, finished rows are
   * gone.
   */
  readonly doubt: (rows: number) => void
  /**
   * The size changed soon after such a frame, and may already have been that. Returns the rows to write again, which
   * may then appear twice.
   */
  readonly doubtful: () => readonly string[]
}

/** By then a frame has arrived and we know the width: some terminals report it only every quarter of a second. */
const doubtMs = 500
const mostKept = 300

export function openTail(now: () => number): Tail {
  let kept: readonly string[] = []
  let doubted: readonly string[] = []
  let until = 0
  return {
    push(finished) {
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
