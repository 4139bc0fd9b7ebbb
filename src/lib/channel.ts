/** An unbounded queue with one reader: pushing never waits, reading waits for the next value or the end. */

export interface Channel<T> extends AsyncIterable<T> {
  readonly push: (value: T) => void
  readonly close: () => void
}

export function channel<T>(): Channel<T> {
  const values: T[] = []
  let head = 0
  let closed = false
  let wake: (() => void) | undefined

  const signal = (): void => {
    wake?.()
    wake = undefined
  }

  return {
    push(value) {
      if (closed) return
      values.push(value)
      signal()
    },
    close() {
      closed = true
      signal()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (head < values.length) yield values[head++] as T
        values.length = 0
        head = 0
        if (closed) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
