/** A policy as a profile for macOS's own sandbox. Of several rules about one path the last one counts. */

import { type Mount, mountsOf, type MountFacts } from "./mounts.ts"
import type { Policy } from "./policy.ts"
import type { Confinable, Wanted } from "./port.ts"

export interface SeatbeltWanted {
  readonly policy: Policy
  readonly needed: Wanted<Confinable>["needed"]
  /** Our proxy's port on loopback; nothing can be reached without one. */
  readonly proxyPort?: number
}

export function seatbeltProfile({ policy, needed, proxyPort }: SeatbeltWanted, facts: MountFacts): string {
  // There are no mounts here: temporary files go where the environment says.
  const mounts = mountsOf({ ...policy, temp: { ...policy.temp, asTmp: false } }, needed, facts)
  return [
    "(version 1)",
    "(deny default)",
    ...basics,
    "(allow file-read*)",
    ...(policy.machine ? machine : []),
    ...mounts.flatMap(linesOf),
    // Unlike in a mount, paths that do not exist yet can be named here.
    ...policy.held.filter(({ path }) => facts.kindOf(path) === undefined).map(({ path }) => denyWriting(path)),
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    ...(policy.network.mode === "domains"
      ? policy.network.unixSockets.map(
          ({ path }) => `(allow network-outbound (remote unix-socket (path ${text(path)})))`,
        )
      : []),
    "",
  ].join("\n")
}

/** What every program needs in order to run at all. */
const basics: readonly string[] = [
  "(allow process-exec process-fork)",
  "(allow signal (target same-sandbox))",
  "(allow process-info* (target same-sandbox))",
  "(allow sysctl-read)",
  "(allow pseudo-tty)",
  "(allow ipc-posix-sem)",
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
  '(allow mach-lookup (global-name "com.apple.system.logger"))',
  '(allow file-ioctl (regex #"^/dev/tty"))',
  '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (regex #"^/dev/tty") (regex #"^/dev/fd/"))',
]

/** Processes of others can be seen, not signaled. */
const machine: readonly string[] = ["(allow process-info* (target others))"]

function linesOf(mount: Mount): readonly string[] {
  const { path } = mount
  switch (mount.kind) {
    case "writable":
      return [`(allow file-read* file-write* (subpath ${text(path)}))`]
    case "readable":
      return [`(allow file-read* (subpath ${text(path)}))`, denyWriting(path)]
    case "empty":
    case "sealed":
      return [`(deny file-read* file-write* (subpath ${text(path)}))`]
  }
}

const denyWriting = (path: string): string => `(deny file-write* (subpath ${text(path)}))`

const text = (path: string): string => `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
