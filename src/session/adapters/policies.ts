/** The sandbox policies of a session, from settings, rules, mode and disk; computed again for every command. */

import type { JudgedBoundary } from "#agent/words/boundary.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Policy } from "#ground/sandbox/policy.ts"
import type { SandboxText } from "#ground/settings/sandbox.ts"
import { openRealPaths } from "#ground/workspace/paths.ts"
import { type PlainDisk, plainDisk } from "#ground/workspace/plain-disk.ts"
import { hasRepositoryShape } from "#ground/workspace/git/repository-shape.ts"
import { matchesWhole } from "#kits/permissions/rules/wildcard.ts"
import { guardedAreas } from "#kits/permissions/rules/path-rule.ts"
import { formsWith, type Workspace } from "#kits/permissions/paths.ts"
import { type PermissionRule, ruleText } from "#kits/permissions/rules/rule.ts"
import { namesTool } from "#kits/permissions/rules/tool-names.ts"
import type {
  Area,
  HostRule,
  PathDenial,
  SandboxPlace,
  PolicyFacts,
  SandboxSource,
  Surroundings,
} from "#kits/sandbox/facts.ts"
import { secretLines } from "#kits/sandbox/hidden.ts"
import { ownConfigs } from "#kits/sandbox/git-names.ts"
import { openJudgedPolicies } from "#kits/sandbox/judged-policy.ts"
import { isWild } from "#kits/sandbox/surroundings-scan.ts"
import { type Policies, policiesOf, readerOf, remembering } from "#kits/sandbox/policy-of.ts"
import type { Clock } from "#lib/clock.ts"
import { liesInOne } from "#lib/lies-in.ts"
import { shortPath } from "#lib/tilde.ts"
import { openPolicySurroundings } from "./policy-surroundings.ts"

export interface PolicyPorts {
  /** Strongest first. */
  readonly settings: readonly SandboxText[]
  readonly rules: () => readonly PermissionRule[]
  readonly mode: () => PermissionMode
  readonly canAsk: boolean
  /** The root for rules, and the added folders as they are now. */
  readonly workspace: Workspace
  readonly place: Omit<SandboxPlace, "root" | "added" | "home">
  readonly clock: Clock
}

export interface SessionPolicies {
  readonly now: () => Promise<Policies>
  /**
   * Call when a confined command that can write starts; call the result when it has ended. It resolves when nothing
   * that the command left behind acts outside any more.
   */
  readonly begin: (policy: Policy) => () => Promise<void>
  /** What was done about what commands left behind since the last call, in sentences for a command's result. */
  readonly takeNotes: () => readonly string[]
  /** Resolves when everything that commands left behind so far has been checked. Wait for it before anything runs unconfined. */
  readonly settled: () => Promise<void>
  /** The reader policy alone, without the walk where no rule needs one. */
  readonly reader: () => Promise<Policy>
  /** For what nobody was asked about. */
  readonly judged: (boundary: JudgedBoundary) => Promise<Policy>
}

type Readers = Pick<Policies, "reader" | "wideReader">

/** How long the policy of readers is used again. */
const freshMs = 30_000

export function openPolicies({ settings, rules, mode, canAsk, workspace, place, clock }: PolicyPorts): SessionPolicies {
  const { root, added, home } = workspace
  const sources = settings.map((text) => sourceOf(text, { root, home }))
  const whole = (): SandboxPlace => ({ ...place, root, added: [...added], home })
  const around = openPolicySurroundings({
    rules,
    roots: () => [root, ...added],
    paths: (from) => pathRules(from, workspace),
    secrets: () => secretLines(whole(), diskNow()),
    shown: (path) => shortPath(path, { cwd: plainDisk.real(root), home }),
    temp: place.temp,
    clock,
  })
  const { left } = around
  const judged = openJudgedPolicies()

  let last: { readonly key: readonly unknown[]; readonly policies: Policies } | undefined

  let quick:
    | {
        readonly rules: readonly PermissionRule[]
        readonly folders: number
        readonly at: number
        readonly policies: Readers
      }
    | undefined

  const factsWith = (found: Surroundings): PolicyFacts => ({
    settings: sources,
    paths: pathRules(rules(), workspace),
    hosts: hostRules(rules()),
    mode: mode(),
    canAsk,
    place: whole(),
    disk: diskNow(),
    surroundings: found,
    made: left.made(),
  })

  async function now(): Promise<Policies> {
    const found = await around.now()
    const roots = around.roots()
    // What matters in a folder lies at its top or in its repository; a full walk takes as long as a command.
    const watched = [
      ...roots.flatMap((folder) => [folder, `${folder}/.git`]),
      ...found.repositories,
      ...ownConfigs(home),
    ]
    const stamps = watched.map(plainDisk.stampOf)
    const key = [found, rules(), mode(), left.made(), ...stamps]
    if (last && isSame(last.key, key)) return last.policies
    const policies = policiesOf(factsWith(found))
    const others = writableFolders(policies.programs).filter((path) => !liesInOne(path, roots.map(plainDisk.real)))
    if (others.length > 0) {
      around.add(others)
      return now()
    }
    last = { key, policies }
    return policies
  }

  async function readers(): Promise<Readers> {
    const from = rules()
    const isFresh = quick?.rules === from && quick.folders === added.length && clock.now() - quick.at <= freshMs
    if (quick && isFresh && !left.isDue()) return quick.policies
    const policies =
      around.isFor(from) || pathRules(from, workspace).some(needsWalk)
        ? await now()
        : readerOf(factsWith({ ...nothingAround, secrets: secretLines(whole(), diskNow()) }))
    quick = { rules: from, folders: added.length, at: clock.now(), policies }
    return policies
  }

  return {
    now,
    reader: async () => (await readers()).reader,
    async judged(boundary) {
      const disk = remembering(diskNow())
      const { reader, wideReader } = await readers()
      return judged(boundary, {
        reader: boundary.wholeDisk ? wideReader : reader,
        disk,
        roots: [root, ...added].map(disk.real),
      })
    },
    begin(policy) {
      const worked = policy.writes.map(({ path }) => path)
      const over = left.begin({
        writable: [...worked, plainDisk.real(policy.temp.folder)],
        worked,
        held: new Set(policy.held.map(({ path }) => path)),
      })
      return async () => {
        over()
        await around.settled()
      }
    },
    takeNotes: left.takeNotes,
    settled: around.settled,
  }
}

/** Without git folders, which are found through what points to them. */
const writableFolders = ({ writes }: Policy): readonly string[] =>
  writes
    .map(({ path }) => path)
    .filter((path) => plainDisk.kindOf(path) === "folder" && !hasRepositoryShape(plainDisk.names(path) ?? []))

/** For one policy: hundreds of its paths lie in a few folders. */
const diskNow = (): PlainDisk => ({ ...plainDisk, real: openRealPaths() })

const nothingAround = { repositories: [], matches: new Map<string, readonly string[]>(), unfinished: new Set<string>() }

const needsWalk = ({ access, areas }: PathDenial): boolean =>
  access === "read" && areas.some(({ steps }) => isWild(steps))

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i])

function sourceOf(
  { file, base, value }: SandboxText,
  { root, home }: { readonly root: string; readonly home: string },
): SandboxSource {
  return { file: shortPath(file, { cwd: root, home }), base, value }
}

/** Deny rules about files, with the folders where their patterns begin. */
function pathRules(rules: readonly PermissionRule[], workspace: Workspace): readonly PathDenial[] {
  const forms = formsWith(plainDisk.real)
  return rules.flatMap((rule): readonly PathDenial[] => {
    const access = accessOf(rule.tool)
    const { matter } = rule
    if (rule.behavior !== "deny" || access === undefined) return []
    const text = ruleText(rule)
    if (matter.kind === "everything") return [{ text, source: rule.source, access, areas: [] }]
    if (matter.kind !== "path") return []
    const areas = matter.areas ?? guardedAreas({ ...matter, base: rule.base }, workspace, forms)
    return [{ text, source: rule.source, access, areas: areas.map(areaOf) }]
  })
}

/** Only rules about all files of a kind: denying Grep a folder does not deny reading it. */
function accessOf(tool: string): PathDenial["access"] | undefined {
  if (namesTool(tool, { name: "Read" })) return "read"
  return tool === "Edit" || tool === "Write" ? "write" : undefined
}

const areaOf = ({ folder, steps }: ReturnType<typeof guardedAreas>[number]): Area => ({
  folder,
  steps: steps.map((step) =>
    step.kind === "folders"
      ? step
      : {
          kind: "name",
          fits: (name) => matchesWhole(step.tokens, name),
          ...(step.plain !== undefined && { plain: step.plain }),
        },
  ),
})

function hostRules(rules: readonly PermissionRule[]): readonly HostRule[] {
  return rules.flatMap((rule): readonly HostRule[] => {
    const { behavior, source, tool, matter } = rule
    if (!namesTool(tool, { name: "WebFetch" })) return []
    if (matter.kind === "everything") return [{ text: ruleText(rule), behavior, source, host: "*" }]
    if (matter.kind !== "host") return []
    return [{ text: ruleText(rule), behavior, source, host: matter.below ? `*.${matter.host}` : matter.host }]
  })
}
