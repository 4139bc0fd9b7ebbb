/** A list of names that one command prints and another one takes. */

/** The output of a command that is a list of names. They are looked for when another command takes them. */
export interface Listing {
  /** Whether a NUL ends each name, so that none can pass for two. */
  readonly nul: boolean
  /** Undefined when nobody can tell. */
  readonly names: () => Names | undefined
}

/** Which names can be in a list, or only that its words are no flags. */
export interface Names {
  /** Every word that can come; absent when there are too many to name. */
  readonly words?: readonly string[]
  /** Where the names lie, and every link among them, when there are too many to name. */
  readonly below?: readonly string[]
  /** The folder from which the names in `below` are taken; absent when they say it themselves. */
  readonly from?: string
  /** No name falls apart where words are split, and none is a pattern. */
  readonly plain?: true
  /** No word begins with a dash. */
  readonly token?: true
}

/** How a listing becomes words: parted by NULs, or by blanks and line ends. */
export type Parting = "nul" | "blanks"

/** What is known of each word that comes of a list; `loose` when there may be others, because a name fell apart. */
export function wordsFrom(listing: Listing | undefined, parting: Parting): Names & { readonly loose?: true } {
  const names = listing?.names()
  if (!listing || !names) return {}
  const { nul } = listing
  const { plain, token, ...known } = names
  if (!known.words && !known.below) return token && !nul ? { token } : {}
  const isWhole = parting === "nul" ? nul : !nul && plain === true
  return isWhole && token ? { ...known, token, ...(plain && { plain }) } : { ...known, loose: true }
}
