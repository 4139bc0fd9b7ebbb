/** Lists without duplicates: the first occurrence gives the reason. */

export function distinctBy<Line>(keyOf: (line: Line) => string, lines: readonly Line[]): readonly Line[] {
  const known = new Set<string>()
  return lines.filter((line) => {
    const key = keyOf(line)
    const isNew = !known.has(key)
    known.add(key)
    return isNew
  })
}

export const distinct = <Line extends { readonly path: string }>(lines: readonly Line[]): readonly Line[] =>
  distinctBy(({ path }) => path, lines)
