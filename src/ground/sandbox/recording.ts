/** Where a command's changes are recorded, as options of our helper. See decision 147. */

export interface RecordingPlace {
  /** The folder of the journal: empty, and on the same file system as the roots if possible. */
  readonly folder: string
  /** Real paths; what is changed elsewhere is not recorded. */
  readonly roots: readonly string[]
  /** Folders below the roots that are left out. */
  readonly except: readonly string[]
  /** Larger contents are not copied where they cannot be linked or cloned. */
  readonly copiedBytes: number
  /** A call that would lose such a content fails instead. */
  readonly keepsAll?: boolean
}

/** The limits of the helper. */
const mostPlaces = 32

export const recordingFlags = ({ folder, roots, except, copiedBytes, keepsAll }: RecordingPlace): readonly string[] => [
  "--journal",
  folder,
  "--most",
  String(copiedBytes),
  ...(keepsAll ? ["--keep-all"] : []),
  ...roots.slice(0, mostPlaces).flatMap((root) => ["--root", root]),
  ...except.slice(0, mostPlaces).flatMap((path) => ["--except", path]),
]
