/** Lets everything else that waits have its turn, in the middle of long work. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
