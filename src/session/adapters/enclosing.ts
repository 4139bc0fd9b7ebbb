/** Confines a command by its boundary: as the user's settings say, or to what was judged. */

import type { JudgedBoundary } from "#agent/words/boundary.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import type { Sandbox, SandboxCheck } from "#ground/sandbox/port.ts"
import type { Recorder } from "#ground/sandbox/recorder.ts"
import { isLendable } from "#ground/settings/child-environment.ts"
import type { Enclose, Enclosed, EncloseWanted } from "#ground/workspace/enclose.ts"
import type { ProcessFailure, Program } from "#ground/workspace/processes/process-groups.ts"
import type { CallRecording } from "#kits/checkpoints/checkpoints.ts"
import { onceFor } from "#lib/once-each.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SessionPolicies } from "./policies.ts"
import { confinedBy } from "./program-walls.ts"

export interface EnclosingParts {
  readonly sandbox: () => Promise<Sandbox>
  readonly policies: () => Promise<SessionPolicies>
  readonly check: () => Promise<SandboxCheck>
  /** Resolves when nothing that earlier commands left behind would act outside. */
  readonly settled: () => Promise<void>
  /** Whether anything was confined before: then it is no reason to run unconfined that it fails now. */
  readonly hasWorked: () => boolean
  /** Whether the sandbox is on for what the user decides. */
  readonly enabled: boolean
  /** How a call is kept for undo; undefined if that is not for us to do. */
  readonly recording: (callId: string) => CallRecording | undefined
  readonly recorder: Pick<Recorder, "wrap">
}

export function openEnclosing(parts: EnclosingParts): Enclose {
  const { sandbox, policies, check, settled, hasWorked, enabled, recorder } = parts
  const withoutTokens = onceFor(tokensRemoved)

  /** A part of a line is recorded with the line. */
  const recordingOf = ({ callId, within }: Pick<EncloseWanted<Program>, "callId" | "within">) =>
    callId === undefined || within ? undefined : parts.recording(callId)

  async function unconfined<P extends Program>(
    wanted: EncloseWanted<P>,
    because: string,
  ): Promise<Result<Enclosed<P>, ProcessFailure>> {
    const recording = recordingOf(wanted)
    const recorded = recording && (await recorder.wrap(wanted.program, recording.journal()))
    const why = recording && !recorded ? await recording.instead() : undefined
    return why === undefined ? ok(notConfined(recorded ?? wanted.program, because)) : failed({ kind: "unkept", why })
  }

  async function enclose<P extends Program>(wanted: EncloseWanted<P>): Promise<Result<Enclosed<P>, ProcessFailure>> {
    const { boundary } = wanted
    if (boundary.by === "judgement") return encloseJudged(wanted, boundary)
    await settled()
    if (boundary.outside) return unconfined(wanted, "it was allowed to run outside the sandbox")
    if (!enabled) return unconfined(wanted, "the sandbox is off")
    const [found, { workspace }] = await Promise.all([check(), (await policies()).now()])
    if (found.works) return confined(wanted, workspace, found)
    return failed({ kind: "unconfined", why: found.why, fix: found.fix })
  }

  async function encloseJudged<P extends Program>(
    wanted: EncloseWanted<P>,
    boundary: JudgedBoundary,
  ): Promise<Result<Enclosed<P>, ProcessFailure>> {
    const { canRepeat, within } = wanted
    // There is no sandbox in a sandbox: the line's own confines the part, and its environment is hardened anyway.
    if (within && enabled && !within.outside) return unconfined(wanted, "the sandbox confines the whole line")
    // A command that only reads may run twice, so the first finds out by itself whether anything can be confined.
    if (canRepeat && boundary.writes.length === 0 && (await sandbox()).isUntried()) {
      const policy = await (await policies()).judged(boundary)
      const trial = await confined(wanted, policy, { backend: "bubblewrap", isTrial: true })
      if (trial.ok) return trial
    }
    const [found, policy] = await Promise.all([check(), (await policies()).judged(boundary)])
    if (found.works) return confined(wanted, policy, found)
    const { why, fix } = found
    // Without a sandbox less is allowed in the first place, and only that may run.
    if (boundary.mustHold || hasWorked()) return failed({ kind: "unconfined", why, fix })
    return unconfined(wanted, why)
  }

  async function confined<P extends Program>(
    wanted: EncloseWanted<P>,
    policy: Policy,
    { backend, records, isTrial = false }: ConfinedHow,
  ): Promise<Result<Enclosed<P>, ProcessFailure>> {
    const { begin, takeNotes } = await policies()
    const { program } = wanted
    const confinable = policy.name !== "workspace" ? { ...program, env: withoutTokens(program.env) } : program
    const recording = recordingOf(wanted)
    // Our helper cannot lay anything over the root; bubblewrap can, and records nothing.
    const place = records && !policy.writes.some(({ path }) => path === "/") ? recording?.journal() : undefined
    const why = recording && !place ? await recording.instead() : undefined
    if (why !== undefined) return failed({ kind: "unkept", why })
    const under = { ...wanted, program: confinable, policy, begin, takeNotes, isTrial, ...optional("recording", place) }
    return confinedBy(await sandbox(), under, backend)
  }

  return enclose
}

/** Secrets others could use in the user's name: a read-only program does not need them, and could print them. */
const tokensRemoved = (env: Program["env"]): Program["env"] =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => gitsOwnKey.test(name) || !isLendable(name, value)))

const gitsOwnKey = /^GIT_CONFIG_KEY_\d+$/

interface ConfinedHow {
  readonly backend: "bubblewrap" | "seatbelt"
  readonly records?: true
  readonly isTrial?: boolean
}

const notConfined = <P extends Program>(program: P, because: string): Enclosed<P> => ({
  program,
  confinement: { by: "none", because },
  violations: () => [],
  failure: async () => undefined,
  isTrial: false,
  finish: () => {},
  leftBehind: async () => [],
})
