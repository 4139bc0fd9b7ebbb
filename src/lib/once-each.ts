/** Asks a question once per key. The owner decides how long the answers stay valid. */

export function onceEach<Answer>(ask: (about: string) => Answer): (about: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>()
  return (about) => {
    const before = known.get(about)
    if (before) return before.answer
    const answer = ask(about)
    known.set(about, { answer })
    return answer
  }
}
