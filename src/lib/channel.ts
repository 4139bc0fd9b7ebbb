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

  function next(): Promise<IteratorResult<T, undefined>> {
    if (head < values.length) return Promise.resolve({ done: false, value: values[head++] as T })
    values.length = 0
    head = 0
    if (closed) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      wake = () => resolve(next())
    })
  }

  const signal = (): void => {
    const waiting = wake
    wake = undefined
    waiting?.()
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
    // Not a generator: a value of one takes three turns of the queue and six objects to arrive.
    [Symbol.asyncIterator]: () => ({ next, return: async () => ({ done: true, value: undefined }) }),
  }
}
