/** A list of names that one command prints and another one takes. */

/** The names are looked up when another command takes them. */
export interface Listing {
  /** Whether a NUL ends each name, so that none can pass for two. */
  readonly nul: boolean
  /** Undefined when unknown. */
  readonly names: () => Names | undefined
}

/** Which names can be in a list, or only that its words are not flags. */
export interface Names {
  /** Every word that can occur; absent when there are too many. */
  readonly words?: readonly string[]
  /** Where the names are, and every link among them, when there are too many to list. */
  readonly below?: readonly string[]
  /** The folder that names in `below` are relative to; absent when they say it themselves. */
  readonly from?: string
  /** No name is split into several words, and none is a pattern. */
  readonly plain?: true
  /** No word starts with a dash. */
  readonly token?: true
}

/** How a listing becomes words: separated by NULs, or by spaces and line ends. */
export type Parting = "nul" | "spaces"

/** What is known about each word of a list; `loose` when there may be others, because a name was split. */
export function wordsFrom(listing: Listing | undefined, parting: Parting): Names & { readonly loose?: true } {
  const names = listing?.names()
  if (!listing || !names) return {}
  const { nul } = listing
  const { plain, token, ...known } = names
  if (!known.words && !known.below) return token && !nul ? { token } : {}
  const isWhole = parting === "nul" ? nul : !nul && plain === true
  return isWhole && token ? { ...known, token, ...(plain && { plain }) } : { ...known, loose: true }
}
