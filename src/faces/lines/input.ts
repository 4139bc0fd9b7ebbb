/** Typed lines: each goes to whoever asked for one, and otherwise to whoever takes what nobody asked for. */

export interface LineInput {
  /** Undefined if the input ended or the signal aborts. */
  readonly ask: (words: string, signal: AbortSignal) => Promise<string | undefined>
  /** Prints the open question again. */
  readonly again: () => void
}

export interface LineSource {
  readonly show: (words: string) => void
}

export interface OpenLineInput extends LineInput {
  readonly push: (line: string) => void
  readonly end: () => void
}

interface Asker {
  readonly words: string
  readonly answer: (line: string | undefined) => void
}

/** `unasked` gets lines that nobody asked for. If several ask, the last is answered first. */
export function openLineInput(source: LineSource, unasked: (line: string) => void): OpenLineInput {
  let waiting: readonly Asker[] = []
  let ended = false

  return {
    ask(words, signal) {
      if (ended || signal.aborted) return Promise.resolve(undefined)
      source.show(words)
      return new Promise((resolve) => {
        const asker: Asker = { words, answer }
        signal.addEventListener("abort", onAbort)
        waiting = [...waiting, asker]
        function onAbort(): void {
          answer(undefined)
        }
        function answer(line: string | undefined): void {
          signal.removeEventListener("abort", onAbort)
          waiting = waiting.filter((other) => other !== asker)
          resolve(line)
        }
      })
    },
    again() {
      const last = waiting.at(-1)
      if (last) source.show(last.words)
    },
    push(line) {
      const last = waiting.at(-1)
      if (last) last.answer(line)
      else unasked(line)
    },
    end() {
      ended = true
      for (const { answer } of waiting) answer(undefined)
    },
  }
}
