/** One of several things, by its number. */

/** The thing, other words than a number, or undefined for an empty line or a cancelled question. */
export async function pick<T extends object>(
  things: readonly T[],
  ask: (words: string) => Promise<string | undefined>,
): Promise<T | string | undefined> {
  const asks = `${things.length === 1 ? "1" : `1 to ${things.length}`}, Enter to cancel: `
  for (let words = asks; ; words = `There is no such number. ${asks}`) {
    const line = (await ask(words))?.trim()
    if (line === undefined || line === "") return undefined
    if (!/^\d+\.?$/.test(line)) return line
    const thing = things[Number.parseInt(line, 10) - 1]
    if (thing) return thing
  }
}
