/** What the model knows of a file. */

/** A file when the model last saw or wrote it, to tell whether it has changed since. */
export type SeenFile = {
  /** With symlinks resolved. */
  readonly path: string
  /** From the file's metadata. */
  readonly state: string
  readonly at: number
  /** Of all bytes; absent if the file is too large. */
  readonly hash?: string
  /** The lines or pages shown; absent if the model wrote the file. */
  readonly shown?: { readonly offset: number; readonly limit?: number; readonly pages?: string }
}
