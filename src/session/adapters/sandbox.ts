/** How a session's commands are confined: by which policy, by what, and what happens when that fails. */

import { join } from "node:path"
import type { SharedNetworkOptions } from "#ground/sandbox/network/shared.ts"
import type { SandboxCheck, Sandbox, Unconfinable } from "#ground/sandbox/port.ts"
import type { Recorder } from "#ground/sandbox/recorder.ts"
import { defaultLimits } from "#ground/snapshots/limits.ts"
import type { SandboxNetwork, SandboxTools } from "#ground/sandbox/sandbox.ts"
import { type Resolve, systemResolve } from "#ground/web/resolve.ts"
import type { Enclose } from "#ground/workspace/enclose.ts"
import type { Clock } from "#lib/clock.ts"
import { lazily } from "#lib/lazily.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { type EnclosingParts, openEnclosing } from "./enclosing.ts"
import type { SessionPolicies } from "./policies.ts"
import { type EncloseProgram, openProgramWalls } from "./program-walls.ts"

export interface Walls {
  readonly enclose: Enclose
  readonly encloseProgram: EncloseProgram
  /** Whether it is known what can be confined here, so that a check costs nothing. */
  readonly isTried: () => boolean
  /** Loads the code, and does nothing else. */
  readonly load: () => Promise<unknown>
  /** Also checks, and looks around. */
  readonly warm: () => void
  /** Sets who is asked about hosts that no rule covers; until then they are refused. */
  readonly askAboutHosts: (ask: AskAboutHost) => void
  /** Whether what a command changes can be recorded here, so that no snapshot is needed. */
  readonly canRecord: Recorder["covers"]
  /** Sets how calls are kept for undo; until then none is. */
  readonly recordCalls: (recording: RecordCalls) => void
  /** Whether anything can be confined here; checked once. */
  readonly check: () => Promise<SandboxCheck>
  readonly close: () => Promise<void>
}

export interface WallParts {
  readonly platform: string
  readonly ids: Ids
  readonly confine?: () => Promise<string | undefined>
  readonly resolve?: Resolve
  readonly bubblewrap?: readonly string[]
  /** Lives as long as this process. */
  readonly scratch: string
  /** Where all of the user's sessions note which placeholders they need. */
  readonly registry: string
  readonly policies: () => Promise<SessionPolicies>
  readonly enabled: boolean
  /** The folders of the session. */
  readonly roots: () => readonly string[]
  readonly clock: Clock
  /** Told of every machine that a command reaches through the sandbox's proxy. */
  readonly reached?: SharedNetworkOptions["reached"]
  /** The proxy beyond which a host lies. */
  readonly upstream?: SharedNetworkOptions["upstream"]
}

type RecordCalls = EnclosingParts["recording"]

type AskAboutHost = SharedNetworkOptions["ask"]

export function openWalls(parts: WallParts): Walls {
  const { platform, ids, confine, scratch, registry, enabled, clock, resolve = systemResolve, bubblewrap } = parts
  const folder = join(scratch, "sandbox")
  let opening: Promise<SessionPolicies> | undefined
  const policies = (): Promise<SessionPolicies> => (opening ??= parts.policies())
  // What an earlier command left behind must not act before it was looked at.
  const settled = async (): Promise<void> => (await opening)?.settled()
  let ask: AskAboutHost = async () => "deny"
  let opened: Promise<Sandbox> | undefined
  let isTried = (): boolean => false
  let warming: Promise<unknown> | undefined

  // Loaded with the first command: most sessions run none at startup.
  const sandbox = (): Promise<Sandbox> => (opened ??= open())

  async function open(): Promise<Sandbox> {
    if (platform === "darwin") return (await import("#ground/sandbox/seatbelt-sandbox.ts")).openSeatbelt({ folder })
    const { openSandbox } = await import("#ground/sandbox/sandbox.ts")
    const made = openSandbox({
      platform,
      ids,
      clock,
      registry,
      folder,
      network,
      diagnose: diagnoseHere,
      ...optional("confine", confine),
      ...optional("places", bubblewrap),
    })
    isTried = () => !made.isUntried()
    return made
  }

  async function diagnoseHere(said: string): Promise<Unconfinable> {
    return (await import("#ground/sandbox/diagnose.ts")).diagnoseHere(said)
  }

  async function network(tools: SandboxTools): Promise<SandboxNetwork> {
    const { reached, upstream } = parts
    const { openSharedNetwork } = await import("#ground/sandbox/network/shared.ts")
    const asking: AskAboutHost = (wish, signal) => ask(wish, signal)
    return openSharedNetwork(
      { folder: join(folder, "net"), clock, ids, resolve, ask: asking, reached, upstream },
      tools,
    )
  }

  let hasWorked = false

  async function check(how?: "again"): Promise<SandboxCheck> {
    const found = await (await sandbox()).check(how)
    hasWorked ||= found.works
    return found
  }

  // Loaded with the first command that changes something.
  const recorder = lazily(async (): Promise<Recorder> => {
    const { openRecorder } = await import("#ground/sandbox/recorder.ts")
    return openRecorder({ platform, confine, folder: join(scratch, "recorder") })
  })
  let recording: RecordCalls = () => undefined
  let isLarge = false
  /**
   * A scan also sees what others change, and leaves setuid programs alone: only what is too large for one is recorded.
   */
  async function isWorthRecording(): Promise<boolean> {
    if (isLarge) return true
    const { holdsMoreThan } = await import("#ground/snapshots/is-large.ts")
    isLarge = holdsMoreThan(defaultLimits.paths, parts.roots())
    return isLarge
  }

  const enclose = openEnclosing({
    sandbox,
    policies,
    check,
    settled,
    hasWorked: () => hasWorked,
    enabled,
    recording: (callId) => recording(callId),
    recorder: { wrap: async (program, place) => (await recorder()).wrap(program, place) },
  })

  return {
    enclose,
    encloseProgram: openProgramWalls({ sandbox, policies }),
    check: () => check(),
    isTried: () => isTried(),
    load: () => (platform === "linux" ? import("#ground/sandbox/sandbox.ts") : Promise.resolve()),
    // Any failure comes up again when a command asks.
    warm() {
      const loadPolicy = async (): Promise<unknown> =>
        enabled ? (await policies()).now() : (await policies()).reader()
      warming ??= Promise.all([check(), loadPolicy()]).catch(() => {})
    },
    askAboutHosts(asked) {
      ask = asked
    },
    canRecord: async (command) => (await isWorthRecording()) && (await recorder()).covers(command),
    recordCalls(calls) {
      recording = calls
    },
    async close() {
      // A trial makes folders, which would come back.
      await warming
      await settled()
      await (await opened)?.close()
    },
  }
}
