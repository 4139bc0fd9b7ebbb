/** Confines hooks and servers that are programs under the workspace policy, whatever the mode and whether or not commands are confined. */

import type { Policy } from "#ground/sandbox/policy.ts"
import type { Sandbox, Wanted } from "#ground/sandbox/port.ts"
import type { ProcessFailure, Program } from "#ground/workspace/processes/process-groups.ts"
import type { Enclosed } from "#ground/workspace/enclose.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SessionPolicies } from "./policies.ts"

export type ProgramWanted<P extends Program> = Pick<Wanted<P>, "program" | "needed" | "callId" | "recording">

/** After a failure the program must not run. */
export type EncloseProgram = <P extends Program>(
  wanted: ProgramWanted<P>,
) => Promise<Result<Enclosed<P>, ProcessFailure>>

export interface ProgramWallParts {
  readonly sandbox: () => Promise<Pick<Sandbox, "check" | "wrap">>
  readonly policies: () => Promise<SessionPolicies>
}

export const openProgramWalls =
  ({ sandbox, policies }: ProgramWallParts): EncloseProgram =>
  async (wanted) => {
    const opened = await sandbox()
    const { now, begin, takeNotes } = await policies()
    const [found, { programs }] = await Promise.all([opened.check(), now()])
    if (!found.works) return failed({ kind: "unconfined", why: found.why, fix: found.fix })
    return confinedBy(opened, { ...wanted, policy: programs, begin, takeNotes }, found.backend)
  }

interface Under extends Pick<SessionPolicies, "begin" | "takeNotes">, Pick<Wanted<Program>, "isTrial"> {
  readonly policy: Policy
}

export async function confinedBy<P extends Program>(
  sandbox: Pick<Sandbox, "check" | "wrap">,
  { program, needed, callId, recording, policy, begin, takeNotes, isTrial = false }: ProgramWanted<P> & Under,
  backend: "bubblewrap" | "seatbelt",
): Promise<Result<Enclosed<P>, ProcessFailure>> {
  const wrapped = await sandbox.wrap({
    program,
    policy,
    needed,
    isTrial,
    ...optional("callId", callId),
    ...optional("recording", recording),
  })
  if (!wrapped.ok) return failed({ kind: "unconfined", ...wrapped.failure })
  const { started, confirm, finish, ...rest } = wrapped.value
  let hasFailed = false
  // A judged command writes what its judgement looked at, repositories included; a walk would take longer than it does.
  const end = policy.name === "workspace" ? begin(policy) : undefined
  let checked: Promise<void> | undefined
  return ok({
    ...rest,
    isTrial,
    finish() {
      if (isTrial && !hasFailed && started()) confirm()
      finish()
      checked ??= end?.()
    },
    async leftBehind() {
      await checked
      return end ? takeNotes() : []
    },
    confinement: { by: backend, as: policy.name },
    async failure() {
      if (started() && !isTrial) return undefined
      // Something changed since the last check, or there was none; a new one says what.
      const found = await sandbox.check(isTrial ? undefined : "again")
      if (found.works && started()) return undefined
      hasFailed = true
      return { kind: "unconfined", ...(found.works ? broken : { why: found.why, fix: found.fix }) }
    },
  })
}

const broken = {
  why: "it could not be made this time",
  fix: "Try again; if that does not help, run codewright doctor to see what is missing.",
}
