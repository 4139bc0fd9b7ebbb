/** Mounts whose "files" are views into the kernel: reading them costs time or has effects, and nothing in them is kept. */

import { isBelow, liesIn } from "./lies-in.ts"

export interface Mount {
  readonly path: string
  readonly isPseudo: boolean
}

/** As `/proc/self/mountinfo` lists them; where there is no such file, those that every system has. */
export function mountsIn(text: string | undefined): readonly Mount[] {
  const listed = (text ?? "").split("\n").flatMap((line) => {
    const [before = "", after] = line.split(" - ", 2)
    const path = before.split(" ")[4]
    const type = after?.split(" ", 1)[0]
    return path === undefined || type === undefined ? [] : [{ path: unescaped(path), isPseudo: pseudoTypes.has(type) }]
  })
  return listed.length > 0 ? listed : usual
}

const usual: readonly Mount[] = ["/proc", "/sys", "/dev"].map((path) => ({ path, isPseudo: true }))

/** Devices count however they are mounted; a real file system below them, such as `/dev/shm`, does not. */
export function isPseudo(path: string, mounts: readonly Mount[]): boolean {
  if (path === "/dev") return true
  const around = mounts.filter((mount) => liesIn(path, mount.path))
  return around.toSorted((a, b) => a.path.length - b.path.length).at(-1)?.isPseudo ?? false
}

/** Folders below one that are not entered, the outermost only. */
export function pseudoBelow(folder: string, mounts: readonly Mount[]): readonly string[] {
  // Of several at one place the last one covers the others.
  const covering = new Map([...mounts.map((mount) => [mount.path, mount.isPseudo] as const), ["/dev", true] as const])
  const inside = [...covering].flatMap(([path, isOne]) => (isOne && isBelow(path, folder) ? [path] : []))
  return inside.filter((path) => !inside.some((other) => isBelow(path, other)))
}

const unescaped = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))

const pseudoTypes: ReadonlySet<string> = new Set([
  "autofs",
  "binfmt_misc",
  "bpf",
  "cgroup",
  "cgroup2",
  "configfs",
  "cpuset",
  "debugfs",
  "devfs",
  "devpts",
  "devtmpfs",
  "efivarfs",
  "fuse.lxcfs",
  "fuse.portal",
  "fusectl",
  "hugetlbfs",
  "mqueue",
  "nfsd",
  "nsfs",
  "proc",
  "pstore",
  "resctrl",
  "rpc_pipefs",
  "securityfs",
  "selinuxfs",
  "smackfs",
  "sysfs",
  "tracefs",
])
