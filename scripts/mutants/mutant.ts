/** A mutant: one deliberate fault, and the tests that must notice it. */

export interface Mutant {
  readonly id: string
  /** Below `src`. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly from: string
  readonly to: string
  /** Files or folders below `test`, the nearest ones that can see it; after `#`, the only tests of it to run. */
  readonly tests: readonly string[]
  /** Why no test can or should notice it. Without it, a mutant that survives is a failure. */
  readonly survives?: string
}

/** One line of the table; tests are separated by spaces. */
export const mutant = (
  id: string,
  file: string,
  from: string,
  to: string,
  tests: string,
  survives?: string,
): Mutant => ({ id, file, from, to, tests: tests.split(" "), ...(survives !== undefined && { survives }) })
