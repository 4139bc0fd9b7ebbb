/** Who may run beside whom: readers run together, everything else runs alone and in order. */

export type Lane = "safe" | "alone"

/** Whether the next call in line may start, given the lanes of those running. */
export function mayStart(next: Lane, running: readonly Lane[], most: number): boolean {
  if (running.length === 0) return true
  return next === "safe" && running.length < most && running.every((lane) => lane === "safe")
}
