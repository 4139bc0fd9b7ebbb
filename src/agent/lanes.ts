/** Which calls may run together: readers run in parallel, everything else runs alone and in order. */

export type Lane = "safe" | "alone"

export function mayStart(next: Lane, running: readonly Lane[], most: number): boolean {
  if (running.length === 0) return true
  return next === "safe" && running.length < most && running.every((lane) => lane === "safe")
}
