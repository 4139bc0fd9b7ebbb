/** A sandbox as the command line of our helper, which makes it by itself or has bubblewrap make it. See decision 61. */

import { bubblewrapArgv } from "./bubblewrap.ts"
import { type Mount, writablePlaces } from "./mounts.ts"
import type { Policy, ProcessLimits } from "./policy.ts"
import type { Enclosable } from "./port.ts"
import { recordingFlags, type RecordingPlace } from "./recording.ts"

/** Our helper is several times as fast; bubblewrap may do what others may not on some systems. */
export type Maker = "helper" | "bubblewrap"

export interface Making {
  /** Absolute paths of both programs. */
  readonly helper: string
  readonly bwrap: string
  readonly program: Enclosable
  readonly policy: Policy
  readonly mounts: readonly Mount[]
  /** An unreadable file and folder of ours, mounted over what is hidden. */
  readonly sealed: { readonly file: string; readonly folder: string }
  readonly report: string
  /** Set if what it changes is recorded; only our helper can. */
  readonly recording?: RecordingPlace
  /** A process whose network is joined; without one the program has only a loopback of its own. */
  readonly joined?: number
}

/** The arguments of the helper. */
export function makingArgv(maker: Maker, making: Making): readonly string[] {
  const { joined, report } = making
  const outside = ["--report", report, ...(joined === undefined ? [] : ["--join", String(joined)])]
  return maker === "helper" && canLay(making.mounts) ? byHelper(outside, making) : byBubblewrap(outside, making)
}

function byHelper(outside: readonly string[], making: Making): readonly string[] {
  const { program, mounts, sealed } = making
  return [
    ["box", ...outside],
    mounts.flatMap((mount) => laid(mount, sealed)),
    making.recording ? recordingFlags(making.recording) : [],
    ["--chdir", program.cwd, ...limits(making), "--", program.file],
    program.argv,
  ].flat()
}

function laid(mount: Mount, sealed: Making["sealed"]): readonly string[] {
  switch (mount.kind) {
    case "writable":
    case "readable":
      return [`--${mount.kind}`, mount.from, mount.path]
    case "empty":
      return ["--empty", mount.path]
    case "sealed":
      return ["--sealed", sealed[mount.what], mount.path]
  }
}

function byBubblewrap(outside: readonly string[], making: Making): readonly string[] {
  const { helper, bwrap, program, policy, mounts, sealed, joined } = making
  const inner = {
    file: helper,
    argv: ["run", "--report", handedOnReport, ...limits(making), "--", program.file, ...program.argv],
    cwd: program.cwd,
  }
  const sees = policy.machine ? "machine" : "itself"
  const argv = bubblewrapArgv({ program: inner, mounts, sealed, sees, ownNetwork: joined === undefined })
  return ["enter", ...outside, ...machineFlag(policy), "--", bwrap, ...argv]
}

/** The limit of the helper. */
const mostMounts = 512

/** Nothing can be laid over the root that a process already has. */
const canLay = (mounts: readonly Mount[]): boolean =>
  mounts.length <= mostMounts && mounts.every(({ path }) => path !== "/")

/** Where `confine enter` leaves the report open for `confine run`: no path inside leads to it. */
const handedOnReport = "/proc/self/fd/9"

const limits = ({ policy, mounts }: Making): readonly string[] => [
  ...limitFlags(policy.limits),
  ...unixFlag(policy),
  ...machineFlag(policy),
  ...writablePlaces(mounts).flatMap((path) => ["--write", path]),
]

const limitFlags = ({ processes, memoryBytes }: ProcessLimits): readonly string[] => [
  "--processes",
  String(processes),
  "--memory",
  String(memoryBytes),
]

const machineFlag = ({ machine }: Policy): readonly string[] => (machine ? ["--machine"] : [])

const unixFlag = ({ network }: Policy): readonly string[] =>
  network.mode === "domains" && network.unixSockets.length > 0 ? ["--unix"] : []
