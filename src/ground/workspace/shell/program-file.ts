/** The file behind the name of a program, as far as it says what would run. */

export interface ProgramFile {
  /** Where it was found. */
  readonly path: string
  /** The file itself, with every link followed. */
  readonly real: string
  /** Whether the administrator of the machine chose it among several (`/etc/alternatives`). */
  readonly isAlternative: boolean
  readonly content: "binary" | "script" | "unknown"
  /** The beginning of a script; empty for everything else. */
  readonly text: string
  /** Whether another program lies in the same folder, as it was found or as it really is. */
  readonly hasBeside: (name: string) => boolean
}

/** The file that a name would start; `isCertain` when the project's own folders on the PATH make no difference. */
export type FindProgram = (
  name: string,
  isProjectFolder: (folder: string) => boolean,
) => { readonly file: ProgramFile | undefined; readonly isCertain: boolean }
