/** How sessions of a fleet are confined: those of operators always, because nobody with that role may act as the owner of the machine. */

import { join } from "node:path"
import type { SandboxText } from "#ground/settings/sandbox.ts"
import { readMachine } from "#ground/workspace/machine.ts"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import { secretLines } from "#kits/sandbox/hidden.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { wallsHere } from "#faces/cli/permissions/walls-here.ts"
import { secretFilesOf } from "./server-secrets.ts"

export interface FleetConfinement {
  /** Why nothing can be confined here; absent where the sandbox works. */
  readonly broken?: string
  /** Whether the settings let sessions of operators run outside the sandbox. */
  readonly operatorsMayLeave: boolean
  /** Files with secrets that the server was given. */
  readonly secretFiles: readonly string[]
}

/** Tried once, by confining a program. `extraSecretFiles`: files with secrets besides those that the settings name. */
export async function fleetConfinement(
  { state, loaded, home }: Pick<StartupContext, "state" | "loaded" | "home">,
  extraSecretFiles: readonly string[],
): Promise<FleetConfinement> {
  const { workspace, why = "" } = await wallsHere(state, { enabled: true })
  return {
    ...(workspace === "broken" && { broken: why }),
    operatorsMayLeave: loaded.settings.server?.allowOperatorsOutsideSandbox === true,
    secretFiles: [...extraSecretFiles, ...secretFilesOf(loaded.settings.server ?? {}, home)],
  }
}

/** For whoever starts the server or worker. */
export function confinementWarning({ broken, operatorsMayLeave }: FleetConfinement): string | undefined {
  if (operatorsMayLeave)
    return "warning: server.allowOperatorsOutsideSandbox is on. Whoever has the role operator can read the keys of this server and act as an admin."
  if (broken === undefined) return undefined
  return `warning: the sandbox does not work here, so sessions of operators are refused. ${broken}`
}

/** Why a session of an operator cannot run here; a sentence for whoever asked for it. */
export const confinementProblem = (
  isConfined: boolean,
  { broken, operatorsMayLeave }: FleetConfinement,
): string | undefined =>
  isConfined && !operatorsMayLeave && broken !== undefined
    ? `Sessions of operators run in the sandbox, and it does not work on this machine: ${broken} An admin can repair it, start the session instead, or set server.allowOperatorsOutsideSandbox.`
    : undefined

export interface ConfinementAsk {
  readonly isConfined: boolean
  /** What its programs need to read outside of its folder. */
  readonly reads: readonly string[]
  /** The folder with all that belongs to the session. */
  readonly own: string
  /** Where sessions have such folders. */
  readonly places: readonly string[]
}

/** The options of a session, as confined as it has to be. */
export function confineSession<T extends Pick<SessionOptions, "place" | "sandbox">>(
  options: T,
  { isConfined, reads, own, places }: ConfinementAsk,
  { loaded, cwd, home, state, environment }: StartupContext,
  { broken, operatorsMayLeave, secretFiles }: FleetConfinement,
): T {
  const values = loaded.settings.sandbox ?? {}
  if (!isConfined || operatorsMayLeave) {
    // A command that an injected prompt wrote should not find the server's keys either; settings may say otherwise.
    const enabled = values.enabled ?? broken === undefined
    const secrets = filesystem({ denyRead: secretFiles, allowRead: reads }, cwd)
    return { ...options, sandbox: { values: { ...values, enabled }, sources: [secrets, ...loaded.sandbox] } }
  }
  const claudeFolder = environment.claudeFolder ?? join(home, ".claude")
  // Settings may hold keys, and so may the files of other programs in these folders.
  const closed = [...secretFiles, ...settingsFiles(state, claudeFolder)]
  const machine = readMachine()
  const place = { ...machine, root: cwd, added: [], home, state, ownState: [], claudeFolder, temp: "" }
  const secrets = secretLines({ ...place, platform: process.platform }, plainDisk)
  return {
    ...options,
    place: {
      ...options.place,
      confined: {
        closed: [
          ...secrets.map(({ path, because }) => ({ path, holds: because })),
          ...closed.map((path) => ({ path, holds: "settings or secrets of the server" })),
          ...places.map((path) => ({ path, holds: "the files of other sessions", except: [own] })),
          ...kernelFolders.map((path) => ({ path, holds: "what programs of the server do" })),
        ],
      },
    },
    sandbox: {
      values: {
        ...values,
        enabled: true,
        hooks: true,
        mcp: true,
        allowUnsandboxedCommands: false,
        excludedCommands: [],
      },
      sources: [
        filesystem(
          { denyRead: [...closed, ...places, ...secrets.map(({ path }) => path)], allowRead: [...reads, own] },
          cwd,
        ),
        ...loaded.sandbox,
      ],
    },
  }
}

/** Through these, a file tool would see the processes of the server; a confined command sees its own. */
const kernelFolders = ["/proc", "/sys", "/dev"]

const settingsFiles = (state: string, claudeFolder: string): readonly string[] => [
  join(state, "settings.json"),
  join(claudeFolder, "settings.json"),
  `${claudeFolder}.json`,
]

const filesystem = (
  value: { readonly denyRead: readonly string[]; readonly allowRead: readonly string[] },
  base: string,
): SandboxText => ({
  source: "command line",
  file: "codewright serve",
  base,
  value: { filesystem: value },
})
