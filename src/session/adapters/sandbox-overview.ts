/** Builds the view of the sandbox that faces show. */

import type { SandboxCheck } from "#ground/sandbox/port.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import type { SandboxOverview } from "#session/port/sandbox-overview.ts"

export interface SandboxOverviewParts {
  readonly settings: SandboxSettings | undefined
  readonly check: SandboxCheck
  readonly home: string
  readonly policy: Policy
  readonly notes: readonly string[]
}

export function sandboxOverview({ settings, check, home, policy, notes }: SandboxOverviewParts): SandboxOverview {
  return {
    enabled: settings?.enabled === true,
    autoAllow: settings?.autoAllowBashIfSandboxed === true,
    hooks: settings?.hooks === true,
    mcp: settings?.mcp === true,
    works: check.works,
    backend: check.works ? check.backend : "none",
    ...(!check.works && { why: check.why, fix: check.fix }),
    home,
    policy,
    hiddenHere: policy.hidden.filter(({ path }) => plainDisk.kindOf(path) !== undefined),
    notes,
  }
}
