/** A question that is asked once about each thing. Whoever makes it decides how long the answers may be believed. */

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
