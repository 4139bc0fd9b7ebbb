/** Names close to a mistyped one, for "did you mean". */

/** Nearest first. */
export function nearNames(wanted: string, names: readonly string[], most = 3): string[] {
  const target = wanted.toLowerCase()
  const limit = Math.max(2, Math.floor(target.length / 3))
  return names
    .map((name) => ({ name, distance: distanceTo(target, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name)
}

/** Whether a name is another one with a letter or two wrong. */
export const isTypo = (written: string, name: string): boolean => editsTo(written, name) <= (name.length < 8 ? 1 : 2)

function distanceTo(target: string, name: string): number {
  if (name !== "" && (target.includes(name) || name.includes(target)))
    return Math.min(2, Math.abs(name.length - target.length))
  return editsTo(target, name)
}

function editsTo(target: string, name: string): number {
  let row = Array.from({ length: name.length + 1 }, (_, i) => i)
  for (let i = 1; i <= target.length; i++) {
    const next = [i]
    for (let j = 1; j <= name.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (target[i - 1] === name[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitute))
    }
    row = next
  }
  return row[name.length] ?? 0
}
