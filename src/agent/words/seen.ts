/** What the model knows of a file. */

/** A file as it was when the model was shown it, or wrote it: whether it changed since can be told by this. */
export type SeenFile = {
  /** Without links on the way. */
  readonly path: string
  /** What the file system said of it. */
  readonly state: string
  /** When that was, in milliseconds since the epoch. */
  readonly at: number
  /** Of all its bytes; absent where it is too large to be held. */
  readonly hash?: string
  /** The lines or pages that were shown; absent where it was written. */
  readonly shown?: { readonly offset: number; readonly limit?: number; readonly pages?: string }
}
