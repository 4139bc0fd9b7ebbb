/** What each session may use of this machine (`server.limits`), by control groups of the kernel. See decision 181. */

import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import type { ServerSettings } from "#ground/settings/settings.ts"
import { type ControlGroups, openControlGroups } from "#ground/workspace/processes/control-groups.ts"
import type { RunSetup } from "#fleet/work/environments.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface SessionLimits {
  /** The failure is a sentence: what asked for it is not started, because nothing would limit it. */
  readonly open: (name: string) => Result<SessionShare, string>
}

export interface SessionShare {
  /** In front of each program that is started. */
  readonly launcher?: readonly string[]
  /** For users and the model. */
  readonly note?: string
  readonly close: () => Promise<void>
}

export interface LimitsHere {
  readonly limits: ServerSettings["limits"]
  /** Where sessions have their folders. */
  readonly workplaces: string
  readonly state: string
  readonly report: (text: string) => void
}

/** Says once what cannot be limited here. */
export async function limitsHere({ limits = {}, workplaces, state, report }: LimitsHere): Promise<SessionLimits> {
  if (Object.keys(limits).length === 0) return unlimited(undefined)
  const helper = await confinePath({ cacheFolder: join(state, "cache"), pid: process.pid })
  const groups =
    helper === undefined
      ? failed("only Linux has control groups.")
      : openControlGroups({ share: limits, folder: existing(workplaces), clock: systemClock, pid: process.pid })
  const missing = groups.ok ? groups.value.missing : `nothing is limited: ${groups.failure}`
  if (missing !== undefined) report(`warning: server.limits: ${missing}`)
  return groups.ok && helper !== undefined
    ? limited(groups.value, helper)
    : unlimited(`The settings limit what a session may use of a machine, but on this one ${missing}`)
}

/** Setup commands have a share of their own, each for as long as it runs. */
export const limitedSetup =
  (limits: SessionLimits, runIn: (launcher: readonly string[] | undefined) => RunSetup): RunSetup =>
  async (setup) => {
    const share = limits.open("setup")
    if (!share.ok) return share
    try {
      return await runIn(share.value.launcher)(setup)
    } finally {
      await share.value.close()
    }
  }

const unlimited = (note: string | undefined): SessionLimits => ({
  open: () => ok({ ...(note !== undefined && { note }), close: async () => undefined }),
})

const limited = (groups: ControlGroups, helper: string): SessionLimits => ({
  open(name) {
    const group = groups.open(name)
    if (!group.ok) return group
    const { entrance, close } = group.value
    const more = groups.missing === undefined ? "" : ` Not limited: ${groups.missing}`
    return ok({
      launcher: [helper, "join", "--group", entrance, "--"],
      note: `All programs of this session together may use ${groups.words}; one that needs more memory is killed.${more}`,
      close,
    })
  },
})

/** It is made when it is needed. */
const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)))
