/** Asks a question once per key. */

/** The owner decides how long the answers stay valid. */
export const onceEach = <Answer>(ask: (about: string) => Answer): ((about: string) => Answer) =>
  remembering(new Map<string, Known<Answer>>(), ask)

/** For as long as the object is in use. Only for objects that never change. */
export const onceFor = <Key extends object, Answer>(ask: (about: Key) => Answer): ((about: Key) => Answer) =>
  remembering(new WeakMap<Key, Known<Answer>>(), ask)

interface Known<Answer> {
  readonly answer: Answer
}

function remembering<Key, Answer>(
  known: {
    readonly get: (key: Key) => Known<Answer> | undefined
    readonly set: (key: Key, known: Known<Answer>) => unknown
  },
  ask: (about: Key) => Answer,
): (about: Key) => Answer {
  return (about) => {
    const before = known.get(about)
    if (before) return before.answer
    const answer = ask(about)
    known.set(about, { answer })
    return answer
  }
}
