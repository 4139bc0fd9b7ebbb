/** A program in bubblewrap: the whole disk can be read, and nothing of it written but a few folders named. */

/** A program to start, as an absolute path and its arguments. */
export interface Enclosable {
  readonly file: string
  readonly argv: readonly string[]
  readonly cwd: string
}

export interface ReadOnlyMounts {
  /** Folders that can be written all the same, such as the one for temporary files. */
  readonly writable: readonly string[]
  /** Folders that cannot, even where they lie in one that can. */
  readonly readOnly: readonly string[]
  /** Folders of our own that the program needs, wherever they lie. */
  readonly needed: readonly string[]
}

/** The same program, started by bubblewrap. Later mounts lie over earlier ones. */
export function readOnlyProgram<P extends Enclosable>(bwrap: string, program: P, mounts: ReadOnlyMounts): P {
  const bind = (flag: string, folders: readonly string[]): readonly string[] =>
    folders.flatMap((folder) => [flag, folder, folder])
  return {
    ...program,
    file: bwrap,
    argv: [
      ...bind("--ro-bind", ["/"]),
      // Devices cannot be used through a plain bind, and every shell needs /dev/null.
      ...bind("--dev-bind", ["/dev"]),
      // A folder that is gone meanwhile must not keep a command from running that does not need it.
      ...bind("--bind-try", mounts.writable),
      ...bind("--ro-bind-try", mounts.readOnly),
      ...bind("--bind-try", mounts.needed),
      "--chdir",
      program.cwd,
      "--",
      program.file,
      ...program.argv,
    ],
  }
}

/** Where bubblewrap may lie. Never looked for on the PATH, which a project may have put its own folders on. */
export const bubblewrapPaths: readonly string[] = [
  "/usr/bin/bwrap",
  "/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
]
