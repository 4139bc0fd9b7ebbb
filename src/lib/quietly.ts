/** Does something that may fail without harm: whoever calls it says why. */
export function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // Nothing depends on it.
  }
}
