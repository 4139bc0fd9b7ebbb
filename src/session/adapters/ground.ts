/** What a session works on: its folder, repository and web access, filtered by its rules. */

import { join } from "node:path"
import { type Follower, byKind } from "#agent/words/follower.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { hookEnvFile } from "#ground/hooks/env-file.ts"
import { toolchainFolders } from "#ground/settings/toolchain-folders.ts"
import { projectFolder } from "#ground/settings/state-folder.ts"
import { openWeb, type Web } from "#ground/web/fetch.ts"
import { findRepository, mainRepository, type Repository } from "#ground/workspace/git/git.ts"
import { ignoresCase } from "#ground/workspace/letter-case.ts"
import { readMachine } from "#ground/workspace/machine.ts"
import { hasLink, realPath } from "#ground/workspace/paths.ts"
import { isBelow } from "#lib/lies-in.ts"
import { openWorkspace, scratchFolder, type Workspace } from "#ground/workspace/workspace.ts"
import { openMayBeClosed } from "#kits/permissions/may-be-closed.ts"
import type { Copy, Workspace as JudgedWorkspace } from "#kits/permissions/paths.ts"
import { isOfUser } from "#kits/permissions/rules/user-rules.ts"
import type { PermissionRule } from "#kits/permissions/rules/rule.ts"
import { optional } from "#lib/optional.ts"
import { lazily } from "#lib/lazily.ts"
import { type Folders, openFolders } from "#session/opening/folders.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { SandboxOverview } from "#session/port/sandbox-overview.ts"
import { hiding } from "#session/opening/rules.ts"
import { closedPaths } from "./closed-paths.ts"
import type { SessionPolicies } from "./policies.ts"
import { sandboxOverview } from "./sandbox-overview.ts"
import { openWalls, type Walls } from "./sandbox.ts"

export interface Ground {
  readonly workspace: Workspace
  readonly web: Web
  readonly repository: Repository | undefined
  /** The folder for session files that do not belong in the log. */
  readonly sessionFolder: string
  readonly judged: JudgedWorkspace
  readonly folders: Folders
  readonly isAllowedFolder: (path: string) => boolean
  readonly isFolder: (path: string) => boolean
  readonly walls: Walls
  readonly sandbox: () => Promise<SandboxOverview>
  readonly follower: Follower
}

export interface GroundParts extends Pick<
  SessionOptions,
  "place" | "memory" | "sandbox" | "manner" | "shell" | "hooks" | "clock" | "ids"
> {
  readonly lineage: Lineage
  readonly rules: () => readonly PermissionRule[]
  readonly sessionFolder: string
  readonly mode: () => PermissionMode
}

export function openGround(parts: GroundParts): Ground {
  const { place, memory, shell, hooks, clock, ids, lineage, rules, sessionFolder } = parts
  const { cwd, home } = place
  const folders = openFolders(place)
  const isAllowedFolder = (path: string): boolean => folders.all().some((root) => path === root || isBelow(path, root))
  const own = [sessionFolder, ...(memory?.notesFolder === undefined ? [] : [memory.notesFolder])]
  const closed = lazily(() => closedPaths(place.stateFolder, own, place.confined?.closed))
  const mayBeClosed = lazily(() => openMayBeClosed(closed(), hasLink))
  const isCaseIgnored = lazily(() => ignoresCase(cwd) || ignoresCase(home))
  const judged: JudgedWorkspace = {
    root: cwd,
    added: folders.added,
    home,
    protectedPaths: [place.stateFolder],
    get closed() {
      return closed()
    },
    mayBeClosed: (forms) => mayBeClosed()(forms),
    own,
    get ignoresCase() {
      return isCaseIgnored()
    },
    ...optional("apart", lineage.worktree ?? worktreeOf(place)),
    ...(place.confined && { confined: true as const }),
  }
  const scratch = scratchFolder(sessionFolder, ids)
  // Loaded with the first command: most sessions run none at startup.
  const policies = lazily(async (): Promise<SessionPolicies> => {
    const { openPolicies } = await import("./policies.ts")
    return openPolicies({
      settings: parts.sandbox?.sources ?? [],
      rules,
      mode: parts.mode,
      canAsk: parts.manner.asks !== "nobody",
      workspace: judged,
      place: {
        ...readMachine(),
        state: place.stateFolder,
        ownState: [projectFolder(place.stateFolder, cwd), sessionFolder],
        claudeFolder: memory?.claudeFolder ?? join(home, ".claude"),
        temp: join(scratch, "tmp"),
        programFolders: place.childEnv().PATH?.split(":") ?? [],
        toolchainFolders: toolchainFolders(place.childEnv()),
        platform: place.platform,
      },
      clock,
    })
  })
  const walls = openWalls({
    platform: place.platform,
    ids,
    clock,
    scratch,
    registry: join(place.stateFolder, "placeholders"),
    policies,
    enabled: parts.sandbox?.values.enabled === true,
    roots: folders.all,
    reached: ({ host, port }, how) => place.network.note({ why: "command", host, port, ...how }),
    upstream: ({ host, port }) => place.network.upstreamOf(host, port),
    ...optional("confine", place.confine),
    ...optional("resolve", place.resolve),
    ...optional("bubblewrap", place.bubblewrap),
  })
  const workspace = openWorkspace({
    root: cwd,
    home,
    ripgrep: place.ripgrep,
    sessionFolder,
    env: place.childEnv,
    clock,
    ids,
    isAllowedFolder,
    hiddenIn: hiding(rules, { workspace: judged, cwd, realPath }).hiddenIn,
    ...optional("snapshot", shell.snapshot),
    ...optional("prefix", shell.prefix),
    ...optional("outputFiles", shell.outputFiles),
    ...optional("buffers", place.buffers),
    ...optional("launcher", place.launcher),
    envFiles: [
      ...(shell.envFile === undefined ? [] : [shell.envFile]),
      ...(hooks && hooks.length > 0 ? [hookEnvFile(place.stateFolder, lineage.sessionId)] : []),
    ],
    scratch,
    enclose: walls.enclose,
  })
  return {
    workspace,
    web: openWeb({
      clock,
      network: place.network,
      allowsPrivate: (host) => rules().some((rule) => opensHost(rule, host)),
    }),
    repository: findRepository(cwd),
    sessionFolder,
    judged,
    folders,
    walls,
    async sandbox() {
      const { workspace: policy, notes } = await (await policies()).now()
      return sandboxOverview({ settings: parts.sandbox?.values, check: await walls.check(), home, policy, notes })
    },
    isAllowedFolder,
    isFolder(path) {
      const seen = workspace.files.stat(realPath(path))
      return !seen.ok && seen.failure.kind === "is_folder"
    },
    follower: {
      onEntry: byKind({
        cwd: ({ path }) => workspace.setCwd(path),
        folders: folders.onEntry,
      }),
    },
  }
}

/** Only a rule that names the exact host opens a private one; a wildcard was not written with it in mind. */
export const opensHost = ({ behavior, tool, matter }: PermissionRule, host: string): boolean =>
  behavior === "allow" && tool === "WebFetch" && matter.kind === "host" && !matter.below && matter.host === host

/**
 * For addresses in a project's files: rules of its own files do not count, because whoever wrote the address could
 * have written the rule.
 */
export const opensHostToProject = (rule: PermissionRule, host: string): boolean =>
  isOfUser(rule.source) && opensHost(rule, host)

/** A session's own worktree is in the state folder, and what is hidden in the repository is hidden in it. */
function worktreeOf({ cwd, stateFolder }: GroundParts["place"]): Copy | undefined {
  if (!isBelow(cwd, join(stateFolder, "worktrees"))) return undefined
  const [at, of] = [findRepository(cwd)?.root, mainRepository(cwd)]
  return at === undefined || of === undefined || at === of ? undefined : { at, of }
}
