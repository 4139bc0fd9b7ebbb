/** Waiting for what nobody announces. */

/** Asks until there is an answer. Asking takes a tenth of the time at most: what is waited for needs the processor too. */
export async function until<T>(find: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const start = performance.now()
    const found = await find()
    if (found) return found
    await pauseAfter(start)
  }
}

/** Between two looks, the second of which began then. */
export function pauseAfter(start: number): Promise<void> {
  return Bun.sleep(Math.min(250, Math.max(10, 9 * (performance.now() - start))))
}
