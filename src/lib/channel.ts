/** An unbounded queue with one reader: pushing never waits, reading waits for the next value or the end. */

export interface Channel<T> extends AsyncIterable<T> {
  readonly push: (value: T) => void
  readonly close: () => void
}

export interface ChannelOptions {
  /** `when_idle`: a reader that waits goes on when the thread has nothing else to do, and then finds all that came meanwhile. */
  readonly wakes?: "at_once" | "when_idle"
  /** Called when the reader stops reading before the end. */
  readonly left?: () => void
}

export function channel<T>({ wakes = "at_once", left }: ChannelOptions = {}): Channel<T> {
  const values: T[] = []
  let head = 0
  let closed = false
  /** The reader, if it has read everything and waits. */
  let reader: ((got: IteratorResult<T, undefined>) => void) | undefined

  function next(): Promise<IteratorResult<T, undefined>> {
    if (head < values.length) return Promise.resolve({ done: false, value: values[head++] as T })
    values.length = 0
    head = 0
    if (closed) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      reader = resolve
    })
  }

  function deliver(got: IteratorResult<T, undefined>): void {
    const waiting = reader
    reader = undefined
    if (waiting && wakes === "when_idle") setImmediate(waiting, got)
    else waiting?.(got)
  }

  return {
    push(value) {
      if (closed) return
      if (reader) deliver({ done: false, value })
      else values.push(value)
    },
    close() {
      closed = true
      deliver({ done: true, value: undefined })
    },
    // Not a generator: a value of one takes three turns of the queue and six objects to arrive.
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        left?.()
        return { done: true, value: undefined }
      },
    }),
  }
}
