/** Starts the programs of hooks: in the sandbox where `sandbox.hooks` says so, and then only there. */

import type { FedEnd } from "#ground/workspace/processes/feed.ts"
import type { Processes } from "#ground/workspace/processes/process.ts"
import type { Enclosed } from "#ground/workspace/enclose.ts"
import type { Program } from "#ground/workspace/processes/process-groups.ts"
import type { FedHookEnd, RunPorts } from "#kits/hooks/run.ts"
import { attempts } from "#kits/tools/confined.ts"
import type { Ids } from "#lib/ids.ts"
import { ok } from "#lib/result.ts"
import type { EncloseProgram, ProgramWanted } from "./program-walls.ts"

export interface HookFeedParts {
  readonly feed: Processes["feed"]
  readonly enclose: EncloseProgram | undefined
  readonly ids: Ids
  /** Files that a hook may use whatever the policy says, such as the log and the variables file. */
  readonly needed: ProgramWanted<Program>["needed"]
}

export function openHookFeed({ feed, enclose, ids, needed }: HookFeedParts): RunPorts["feed"] {
  if (enclose === undefined) return async (feeding) => feed(feeding)
  return async (program) => {
    const enclosed = await enclose({ program, needed, callId: ids.uuid() })
    if (!enclosed.ok) return enclosed
    const fed = feed(enclosed.value.program)
    if (!fed.ok) {
      enclosed.value.finish()
      return fed
    }
    return ok({ ...fed.value, ended: fed.value.ended.then((end) => confinedEnd(end, enclosed.value)) })
  }
}

async function confinedEnd(end: FedEnd, { violations, failure, finish }: Enclosed<Program>): Promise<FedHookEnd> {
  const broken = end.end === "exited" && end.exitCode !== 0 ? await failure() : undefined
  const refused = attempts(violations())
  finish()
  return { ...end, refused, failure: broken }
}
