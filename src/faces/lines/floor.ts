/** Who may print: while a question is on the screen everything else waits, so that nothing pushes it away. */

export interface Floor {
  /** Waits while a question is open. */
  readonly print: (text: string) => void
  /** Waits until no other question is on the screen. */
  readonly quietly: <T>(ask: () => Promise<T>) => Promise<T>
}

export function openFloor(write: (text: string) => void): Floor {
  let isQuiet = false
  let buffered = ""
  let last: Promise<unknown> = Promise.resolve()
  return {
    print(text) {
      if (isQuiet) buffered += text
      else write(text)
    },
    quietly(ask) {
      const mine = last.then(async () => {
        isQuiet = true
        try {
          return await ask()
        } finally {
          isQuiet = false
          const since = buffered
          buffered = ""
          write(since)
        }
      })
      last = mine.catch(() => {})
      return mine
    },
  }
}
