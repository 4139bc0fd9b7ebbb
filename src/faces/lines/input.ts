/** Typed lines: each goes to whoever asked for one, and otherwise to whoever takes what nobody asked for. */

export interface LineInput {
  /** Shows the words and gives the next line; nothing when the input ended or the signal aborts. */
  readonly ask: (words: string, signal: AbortSignal) => Promise<string | undefined>
  /** Shows the words again of whoever still waits for a line. */
  readonly again: () => void
}

/** What brings the lines: a terminal with an editor for one line, or a plain stream. */
export interface LineSource {
  readonly show: (words: string) => void
}

export interface OpenLineInput extends LineInput {
  readonly take: (line: string) => void
  /** No more lines will come. */
  readonly end: () => void
}

interface Asker {
  readonly words: string
  readonly answer: (line: string | undefined) => void
}

/** `unasked` gets the lines that come while nobody asks. Of several who ask, the last one is answered first. */
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
    take(line) {
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
