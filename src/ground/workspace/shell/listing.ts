/** A list of files that one command prints and another one takes. */

/** What is known of the output of a command: that it lists paths below some folders, or words that are no flags. */
export interface Listing {
  /** Absent when it is no list of paths. */
  readonly below?: readonly string[]
  /** What each path begins with. */
  readonly head: string
  /** Whether a NUL ends each path, so that no name can pass for two. */
  readonly nul: boolean
  /** No word begins with a dash. */
  readonly token?: true
}
