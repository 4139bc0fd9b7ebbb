/** What one stream gives, and then another, without a generator between: each value would wait for it. Whoever stops reading stops reading both. */
export function oneAfterOther<T>(first: AsyncIterable<T>, second: AsyncIterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const rest = second[Symbol.asyncIterator]()
      let now = first[Symbol.asyncIterator]()
      let isOver = false

      const finish = async (): Promise<IteratorResult<T, undefined>> => {
        const isRead = !isOver
        isOver = true
        if (isRead) await rest.return?.()
        return { done: true, value: undefined }
      }
      const next = (): Promise<IteratorResult<T>> =>
        isOver ? finish() : now === rest ? rest.next() : now.next().then(onResult, thrown)

      function onResult(got: IteratorResult<T>): IteratorResult<T> | Promise<IteratorResult<T>> {
        if (!got.done) return got
        now = rest
        return next()
      }
      async function thrown(error: unknown): Promise<never> {
        await finish()
        throw error
      }
      return {
        next,
        async return() {
          if (!isOver && now !== rest) await now.return?.()
          return finish()
        },
      }
    },
  }
}
