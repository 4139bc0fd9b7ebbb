/** Policies of a real workspace in a temporary folder, with everything that matters to them given in a few words. */

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Behavior, PermissionMode, RuleSource } from "#agent/words/permission.ts"
import { parseRules } from "#kits/permissions/rules/rule.ts"
import type { SandboxValues } from "#kits/sandbox/facts.ts"
import type { Policies } from "#kits/sandbox/policy-of.ts"
import { systemClock } from "#lib/clock.ts"
import { openPolicies, type SessionPolicies } from "#session/adapters/policies.ts"
import type { TemporaryFolder } from "./tmp.ts"

export interface PolicyStory {
  /** Files by their path in the temporary folder, and what is in them; with a slash at the end a folder. */
  readonly files?: { readonly [path: string]: string }
  /** The working folder; `work` when absent. */
  readonly root?: string
  readonly added?: readonly string[]
  readonly home?: string
  readonly state?: string
  readonly uid?: number
  readonly settings?: SandboxValues
  readonly rules?: readonly (readonly [behavior: Behavior, text: string, source?: RuleSource])[]
  readonly mode?: PermissionMode
  readonly canAsk?: boolean
}

export function makeFiles(folder: TemporaryFolder, files: PolicyStory["files"] = {}): void {
  for (const [path, text] of Object.entries(files)) {
    const at = folder.join(path)
    mkdirSync(path.endsWith("/") ? at : dirname(at), { recursive: true })
    if (!path.endsWith("/")) writeFileSync(at, text)
  }
}

/** The policies, with `@` for the temporary folder. */
export async function policiesIn(folder: TemporaryFolder, story: PolicyStory): Promise<Policies> {
  const policies = await openStory(folder, story).now()
  const shown: unknown = JSON.parse(JSON.stringify(policies).replaceAll(folder.path, "@"))
  return shown as Policies
}

export function openStory(folder: TemporaryFolder, story: PolicyStory): SessionPolicies {
  const { root = "work", home = "home", state = "home/.codewright", rules = [], settings } = story
  makeFiles(folder, { [`${root}/`]: "", [`${home}/`]: "", ...story.files })
  const at = (path: string): string => join(folder.path, path)
  const parsed = parseRules(
    rules.map(([behavior, text, source = "user settings"]) => ({ behavior, text, source, base: at(root) })),
  )
  return openPolicies({
    settings: settings
      ? [{ source: "user settings", file: at("home/.codewright/settings.json"), base: at(root), value: settings }]
      : [],
    rules: () => parsed.rules,
    mode: () => story.mode ?? "default",
    canAsk: story.canAsk ?? true,
    workspace: {
      root: at(root),
      added: (story.added ?? []).map(at),
      home: at(home),
      protectedPaths: [],
      own: [],
    },
    place: {
      state: at(state),
      ownState: [at(`${state}/projects/-work`)],
      claudeFolder: at(`${home}/.claude`),
      temp: at("temp"),
      platform: "linux",
      uid: story.uid ?? 1000,
      memoryBytes: 8_000_000_000,
    },
    clock: systemClock,
  })
}

export const pathsOf = (lines: readonly { readonly path: string }[] | undefined): readonly string[] =>
  (lines ?? []).map(({ path }) => path)
