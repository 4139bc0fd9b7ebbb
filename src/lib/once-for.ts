/** Asks a question once per object, for as long as the object is in use. Only for objects that never change. */
export function onceFor<Key extends object, Answer>(ask: (about: Key) => Answer): (about: Key) => Answer {
  const known = new WeakMap<Key, { readonly answer: Answer }>()
  return (about) => {
    const before = known.get(about)
    if (before) return before.answer
    const answer = ask(about)
    known.set(about, { answer })
    return answer
  }
}
