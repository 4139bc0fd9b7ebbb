/** Waiting for what nobody announces. */

/** More than anything takes on a busy machine: whoever waits for what never comes would keep all tests from ending. */
const mostMinutes = Number(process.env["CODEWRIGHT_PATIENCE"] ?? 10)

/**
 * Asks until there is an answer. Asking takes a tenth of the time at most: what is waited for needs the processor too.
 * `seen` says what there was instead, for whoever waited in vain.
 */
export async function until<T>(
  find: () => Promise<T | undefined | false> | T | undefined | false,
  seen: () => unknown = () => "nothing",
): Promise<T> {
  for (const began = performance.now(); ;) {
    const start = performance.now()
    const found = await find()
    if (found) return found
    if (start - began > mostMinutes * 60_000)
      throw new Error(`Waited ${mostMinutes} minutes in vain; there is ${JSON.stringify(seen())}`)
    await pauseAfter(start)
  }
}

/** Between two looks, the second of which began then. */
export function pauseAfter(start: number): Promise<void> {
  return Bun.sleep(Math.min(250, Math.max(10, 9 * (performance.now() - start))))
}
