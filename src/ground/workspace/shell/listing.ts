/** A list of names that one command prints and another one takes. */

/** What is known of the output of a command: which names can be in it, or only that its words are no flags. */
export interface Listing {
  /** Every word that can come; absent when there are too many to name. */
  readonly words?: readonly string[]
  /** Where the names lie, and every link among them, when there are too many to name. */
  readonly below?: readonly string[]
  /** The folder from which the names in `below` are taken; absent when they say it themselves. */
  readonly from?: string
  /** Whether a NUL ends each name, so that none can pass for two. */
  readonly nul: boolean
  /** No name falls apart where words are split, and none is a pattern. */
  readonly plain?: true
  /** No word begins with a dash. */
  readonly token?: true
}

/** How a listing becomes words: parted by NULs, or by blanks and line ends. */
export type Parting = "nul" | "blanks"

/** What is known of each word that comes of a list; `loose` when there may be others, because a name fell apart. */
export function wordsFrom(
  listing: Listing | undefined,
  parting: Parting,
): Pick<Listing, "words" | "below" | "from" | "plain" | "token"> & { readonly loose?: true } {
  if (!listing) return {}
  const { nul, plain, token, ...known } = listing
  if (!known.words && !known.below) return token && !nul ? { token } : {}
  const isWhole = parting === "nul" ? nul : !nul && plain === true
  return isWhole && token ? { ...known, token, ...(plain && { plain }) } : { ...known, loose: true }
}
