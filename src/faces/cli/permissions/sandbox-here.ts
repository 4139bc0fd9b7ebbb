/** The sandbox of the folder we are in, as a session would have it. */

import { rmSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"
import { diagnoseHere } from "#ground/sandbox/diagnose.ts"
import { openSharedNetwork } from "#ground/sandbox/network/shared.ts"
import type { Sandbox } from "#ground/sandbox/port.ts"
import { openSandbox } from "#ground/sandbox/sandbox.ts"
import { openSeatbelt } from "#ground/sandbox/seatbelt-sandbox.ts"
import { projectFolder } from "#ground/settings/state-folder.ts"
import { systemResolve } from "#ground/web/resolve.ts"
import { readMachine } from "#ground/workspace/machine.ts"
import { parseRules } from "#kits/permissions/rules/rule.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openPolicies, type SessionPolicies } from "#session/adapters/policies.ts"
import { type EncloseProgram, openProgramWalls } from "#session/adapters/program-walls.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { sandboxScratch } from "./sandbox-scratch.ts"

export interface SandboxHere extends AsyncDisposable {
  readonly sandbox: Sandbox
  readonly policies: SessionPolicies
  readonly encloseProgram: EncloseProgram
}

export function sandboxHere(setting: StartupContext, { canAsk }: { readonly canAsk: boolean }): SandboxHere {
  const { cwd, home, state, loaded, environment } = setting
  const scratch = sandboxScratch(state, "codewright-sandbox")
  const rules = parseRules(loaded.rules).rules
  const policies = openPolicies({
    settings: loaded.sandbox,
    rules: () => rules,
    mode: () => loaded.settings.permissions.defaultMode,
    canAsk,
    workspace: { root: cwd, added: loaded.additionalDirectories, home, protectedPaths: [state], own: [] },
    place: {
      ...readMachine(),
      state,
      ownState: [projectFolder(state, cwd)],
      claudeFolder: environment.claudeFolder ?? join(home, ".claude"),
      temp: join(scratch, "tmp"),
      platform: process.platform,
    },
    clock: systemClock,
  })
  const folder = join(scratch, "sandbox")
  const sandbox =
    process.platform === "darwin"
      ? openSeatbelt({ folder })
      : openSandbox({
          platform: process.platform,
          ids: systemIds,
          clock: systemClock,
          registry: join(state, "placeholders"),
          folder,
          confine: () => confinePath({ cacheFolder: join(state, "cache"), pid: process.pid }),
          network: async (tools) =>
            openSharedNetwork(
              {
                folder: join(scratch, "net"),
                clock: systemClock,
                ids: systemIds,
                resolve: systemResolve,
                ask: nobodyToAsk,
              },
              tools,
            ),
          diagnose: diagnoseHere,
        })
  return {
    sandbox,
    policies,
    encloseProgram: openProgramWalls({ sandbox: async () => sandbox, policies: async () => policies }),
    async [Symbol.asyncDispose]() {
      await sandbox.close()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

const nobodyToAsk = async (): Promise<"deny"> => "deny"
