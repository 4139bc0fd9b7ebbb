/** How commands of a session are confined: which policy, by what, and what it comes to when that does not work. */

import { join } from "node:path"
import type { Check, Sandbox } from "#ground/sandbox/port.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import type { ProcessFailure, Program } from "#ground/workspace/process-groups.ts"
import type { Enclose, Enclosed, EncloseWanted } from "#ground/workspace/shell.ts"
import { given } from "#lib/given.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface Walls {
  readonly enclose: Enclose
  /** Whether anything can be confined here; found out once. */
  readonly check: () => Promise<Check>
  readonly close: () => Promise<void>
}

export interface WallParts {
  readonly platform: string
  readonly ids: Ids
  readonly confine?: () => Promise<string | undefined>
  /** What lives as long as this process. */
  readonly scratch: string
  readonly policies: Policies
}

/** The policies as they are now: settings, rules and folders may change meanwhile. */
export type Policies = () => Promise<{
  readonly reader: Policy
  /** Undefined when the sandbox is off. */
  readonly workspace: Policy | undefined
}>

export function openWalls({ platform, ids, confine, scratch, policies }: WallParts): Walls {
  let opened: Promise<Sandbox> | undefined

  // Loaded with the first command: most starts come to none.
  const sandbox = (): Promise<Sandbox> =>
    (opened ??= import("#ground/sandbox/sandbox.ts").then(({ openSandbox }) =>
      openSandbox({ platform, ids, folder: join(scratch, "sandbox"), ...given("confine", confine) }),
    ))

  const check = async (): Promise<Check> => (await sandbox()).check()

  async function enclose<P extends Program>(wanted: EncloseWanted<P>): Promise<Result<Enclosed<P>, ProcessFailure>> {
    const { program, hold } = wanted
    if (hold === "outside") return ok(unconfined(program, "it was allowed to run outside the sandbox"))
    const { reader, workspace } = await policies()
    const policy = hold === "reader" ? reader : workspace
    if (policy === undefined) return ok(unconfined(program, "the sandbox is off"))
    const found = await check()
    if (found.works) return confined(wanted, policy, found)
    const { why, fix } = found
    // Readers may run without a wall: where there is none, only those do that were judged with that in mind.
    return hold === "reader" ? ok(unconfined(program, why)) : failed({ kind: "unconfined", why, fix })
  }

  async function confined<P extends Program>(
    { program, needed, callId }: EncloseWanted<P>,
    policy: Policy,
    { backend }: Check & { readonly works: true },
  ): Promise<Result<Enclosed<P>, ProcessFailure>> {
    const wrapped = await (await sandbox()).wrap({ program, policy, needed, ...given("callId", callId) })
    if (!wrapped.ok) return failed({ kind: "unconfined", ...wrapped.failure })
    const { started, ...rest } = wrapped.value
    return ok({
      ...rest,
      confinement: { by: backend, as: policy.name },
      failure: () => (started() ? undefined : { kind: "unconfined", ...broken }),
    })
  }

  return {
    enclose,
    check,
    close: async () => (await opened)?.close(),
  }
}

const broken = {
  why: "it worked before and cannot be made any more",
  fix: "Run codewright doctor to see what is missing.",
}

const unconfined = <P extends Program>(program: P, because: string): Enclosed<P> => ({
  program,
  confinement: { by: "none", because },
  violations: () => [],
  failure: () => undefined,
  finish: () => {},
})
