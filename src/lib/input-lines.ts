/** Standard input as lines: whole ones only, each with a bound, so that no client can fill the memory. */

/** More than any request to a model may have. */
export const longestLine = 32_000_000

export type InputLine =
  | { readonly kind: "line"; readonly text: string }
  /** The rest of it was not kept. */
  | { readonly kind: "too_long" }
  | { readonly kind: "not_utf8" }

/** What comes after the last line break counts as a line too. Empty lines are left out. */
export async function* linesIn(
  input: AsyncIterable<Uint8Array>,
  most: number = longestLine,
): AsyncGenerator<InputLine, void> {
  let parts: Uint8Array[] = []
  let size = 0

  const finishLine = (): InputLine | undefined => {
    const line = size > most ? ({ kind: "too_long" } as const) : decoded(parts)
    parts = []
    size = 0
    return line
  }
  const keep = (part: Uint8Array): void => {
    size += part.length
    if (size > most) parts = []
    else parts.push(part)
  }

  for await (const chunk of input) {
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      keep(chunk.subarray(from, end))
      const line = finishLine()
      if (line) yield line
      from = end + 1
    }
    if (from < chunk.length) keep(chunk.subarray(from))
  }
  const last = finishLine()
  if (last) yield last
}

const newline = 10

function decoded(parts: readonly Uint8Array[]): InputLine | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(parts.length === 1 ? parts[0] : Buffer.concat(parts))
    return text.trim() === "" ? undefined : { kind: "line", text }
  } catch {
    return { kind: "not_utf8" }
  }
}
