/** The arguments for bubblewrap: its own view of the disk, no privileges, and no one else's processes. */

import type { Mount } from "./mounts.ts"
import type { Enclosable } from "./port.ts"

export interface BubblewrapCommand {
  readonly program: Enclosable
  readonly mounts: readonly Mount[]
  /** An unreadable file and folder of ours, mounted over what is hidden. */
  readonly sealed: { readonly file: string; readonly folder: string }
  /** Otherwise the program stays in the network that bubblewrap is started in. */
  readonly ownNetwork: boolean
  /** Whose processes, sockets and interfaces the program sees. */
  readonly sees: "itself" | "machine"
}

export function bubblewrapArgv({ program, mounts, sealed, ownNetwork, sees }: BubblewrapCommand): readonly string[] {
  return [
    // Root loses its power over the machine only in a user namespace.
    ["--unshare-user", "--unshare-ipc", "--unshare-uts"],
    sees === "itself" ? ["--unshare-pid", "--unshare-cgroup-try", ...(ownNetwork ? ["--unshare-net"] : [])] : [],
    ["--cap-drop", "ALL", "--die-with-parent"],
    ["--ro-bind", "/", "/", "--dev", "/dev"],
    sees === "itself" ? ownProcesses : [],
    mounts.flatMap((mount) => laid(mount, sealed)),
    // Only now: the places for other mounts had to be made in them.
    mounts.flatMap(({ kind, path }) => (kind === "empty" ? ["--remount-ro", path] : [])),
    ["--chdir", program.cwd, "--", program.file],
    program.argv,
  ].flat()
}

const ownProcesses: readonly string[] = [
  // Bubblewrap's own first process would have no filter, and programs inside could write into its memory.
  "--as-pid-1",
  "--proc",
  "/proc",
  // Root could write /proc/sys and others although it has no privileges inside: the files belong to it.
  "--remount-ro",
  "/proc",
]

function laid(mount: Mount, sealed: BubblewrapCommand["sealed"]): readonly string[] {
  switch (mount.kind) {
    // What is gone meanwhile must not keep a command from running that does not need it.
    case "writable":
      return ["--bind-try", mount.from, mount.path]
    case "readable":
      return ["--ro-bind-try", mount.from, mount.path]
    case "empty":
      return ["--tmpfs", mount.path]
    case "sealed":
      return ["--ro-bind", sealed[mount.what], mount.path]
  }
}

/** Where bubblewrap may be. Never searched for on the PATH, which may include a project's own folders. */
export const bubblewrapPaths: readonly string[] = [
  "/usr/bin/bwrap",
  "/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
]
