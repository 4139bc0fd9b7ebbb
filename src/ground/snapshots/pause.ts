/** Yields to everything else that waits, in the middle of long work. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
