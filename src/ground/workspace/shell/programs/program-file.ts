/** The file behind the name of a program, as far as it says what would run. */

export interface ProgramFile {
  readonly path: string
  /** With every link resolved. */
  readonly real: string
  /** Whether the machine's administrator chose it among several (`/etc/alternatives`). */
  readonly isAlternative: boolean
  readonly content: "binary" | "script" | "unknown"
  /** The start of a script; empty for everything else. */
  readonly text: string
  /** Whether another program is in the same folder, as it was found or resolved. */
  readonly hasBeside: (name: string) => boolean
}

/** `isCertain` when the project's own folders on the PATH make no difference. */
export type FindProgram = (
  name: string,
  isProjectFolder: (folder: string) => boolean,
) => { readonly file: ProgramFile | undefined; readonly isCertain: boolean }
