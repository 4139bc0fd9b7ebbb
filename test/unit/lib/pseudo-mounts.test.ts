/** Which folders are views into the kernel, by the list of mounts. */

import { expect, test } from "bun:test"
import { isPseudo, mountsIn, pseudoBelow } from "#lib/pseudo-mounts.ts"

const mounts = mountsIn(
  [
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw",
    "60 22 0:40 / /proc/sys/fs/binfmt_misc rw - binfmt_misc binfmt_misc rw",
    "23 27 0:22 / /sys rw,relatime - sysfs sysfs rw",
    "24 27 0:6 / /dev rw - tmpfs tmpfs rw",
    "25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw",
    "61 27 0:41 / /mnt/with\\040space rw - cgroup2 cgroup2 rw",
    "62 27 0:42 / /mnt/disk rw - nfs4 server:/disk rw",
    "63 27 0:43 / /srv/auto rw - autofs auto rw",
    "64 63 0:44 / /srv/auto rw - ext4 /dev/vdb rw",
  ].join("\n"),
)

test("kernel mounts are pseudo, disks and memory are not, and what is mounted last counts", () => {
  for (const path of ["/proc", "/proc/1/fd", "/sys/class", "/dev", "/mnt/with space/x", "/proc/sys/fs/binfmt_misc"])
    expect([path, isPseudo(path, mounts)]).toEqual([path, true])
  for (const path of ["/", "/home/me", "/dev/shm/project", "/mnt/disk", "/srv/auto/x", "/process", "/system"])
    expect([path, isPseudo(path, mounts)]).toEqual([path, false])
})

test("below a folder the outermost are named", () => {
  expect(new Set(pseudoBelow("/", mounts))).toEqual(new Set(["/proc", "/sys", "/dev", "/mnt/with space"]))
  expect(pseudoBelow("/mnt", mounts)).toEqual(["/mnt/with space"])
  expect(pseudoBelow("/home/me", mounts)).toEqual([])
})

test("where mounts cannot be listed, the usual ones count", () => {
  expect(new Set(pseudoBelow("/", mountsIn(undefined)))).toEqual(new Set(["/proc", "/sys", "/dev"]))
  expect(isPseudo("/proc/1", mountsIn(""))).toBe(true)
})
