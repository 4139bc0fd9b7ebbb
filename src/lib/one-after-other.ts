/** What one stream gives, and then another, without a generator between: each value would wait for it. `end` is called once, when nobody reads on. */
export function oneAfterOther<T>(
  first: AsyncIterable<T> | undefined,
  second: AsyncIterable<T>,
  end: () => void,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const rest = second[Symbol.asyncIterator]()
      let now = first?.[Symbol.asyncIterator]() ?? rest
      let isOver = false

      const finish = (): IteratorResult<T, undefined> => {
        if (!isOver) end()
        isOver = true
        return { done: true, value: undefined }
      }
      const next = (): Promise<IteratorResult<T>> =>
        isOver ? Promise.resolve(finish()) : now.next().then(given, thrown)

      function given(got: IteratorResult<T>): IteratorResult<T> | Promise<IteratorResult<T>> {
        if (!got.done) return got
        if (now === rest) return finish()
        now = rest
        return next()
      }
      function thrown(error: unknown): never {
        finish()
        throw error
      }
      return {
        next,
        async return() {
          if (!isOver) await now.return?.()
          return finish()
        },
      }
    },
  }
}
