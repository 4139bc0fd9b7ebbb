/** The language servers of a session. Everything is loaded with the first file that changes, or to offer their tool. */

import { byKind } from "#agent/words/follower.ts"
import { isReadOnly } from "#agent/words/footprint.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { realPath } from "#ground/workspace/paths.ts"
import type { Checkpoints } from "#kits/checkpoints/checkpoints.ts"
import type { LanguageServerState } from "#kits/lsp/live-server.ts"
import type { LanguageServers } from "#kits/lsp/servers.ts"
import { lazily } from "#lib/lazily.ts"
import { optional } from "#lib/optional.ts"
import { failed, type Result } from "#lib/result.ts"
import type { Lineage } from "#session/opening/lineage.ts"
import { isOffered } from "#session/opening/offered.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { hiding, type SessionRules } from "#session/opening/rules.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { LanguageClient } from "#ground/lsp/client.ts"
import type { LanguageServer } from "#ground/lsp/server-config.ts"
import type { Ground } from "./ground.ts"
import { startEnclosed } from "./mcp-ground.ts"

export interface LspParts extends Pick<
  SessionOptions,
  "lsp" | "place" | "sandbox" | "manner" | "tools" | "attachments" | "recorded" | "clock" | "ids"
> {
  readonly ground: Ground
  readonly rules: SessionRules
  readonly ask: Questions["ask"]
  readonly record: (body: EntryBody) => void
  readonly mode: () => PermissionMode
  readonly checkpoints: Pick<Checkpoints, "changedIn">
  readonly lineage: Pick<Lineage, "languageServers" | "depth" | "warn">
}

export interface SessionLanguageServers {
  readonly kit: Kit
  /** The tool, once it is known that a server exists for this workspace. */
  readonly tool: () => readonly AnyTool[]
  /** Found when first asked for, and shared with agents. */
  readonly servers: () => Promise<LanguageServers>
  /** All that there are, and how each is doing. */
  readonly states: () => Promise<readonly LanguageServerState[]>
}

const toolName = "LSP"

/** Undefined where none may be started: they run code of the folder, so it must be trusted. */
export function openSessionLsp(parts: LspParts): SessionLanguageServers | undefined {
  const { lsp, place, ground, lineage } = parts
  if (!lsp || place.trusted !== true || parts.recorded || parts.attachments === "off") return undefined
  if (!lsp.finds && lsp.written.length === 0) return undefined
  // Whoever answers there may not act as the owner of the machine.
  if (place.confined && parts.sandbox?.values.enabled !== true) return undefined
  let found: LanguageServers | undefined
  const servers = lineage.languageServers(lazily(() => openServers(parts, lsp)))
  const { isHidden } = hiding(parts.rules.now, { workspace: ground.judged, cwd: place.cwd, realPath })
  const shared = {
    ...ground.workspace,
    roots: () => ground.folders.all().map((root) => realPath(root)),
    isHidden,
    ask: parts.ask,
    canAsk: () => parts.manner.asks !== "nobody" && parts.mode() !== "dontAsk",
  }
  let wake = (): void => {}
  let inner: Kit | undefined
  let tools: readonly AnyTool[] = []
  const load = lazily(async (): Promise<void> => {
    found = await servers()
    if (found.all.length === 0) return
    const { lspKit, usualPatience } = await import("#kits/lsp/kit.ts")
    const { changedIn } = parts.checkpoints
    inner = lspKit({
      ...shared,
      servers: found,
      changedIn,
      wake: () => wake(),
      isScript: parts.manner.asks === "nobody",
      patience: lsp.patience ?? usualPatience,
    })
  })
  const offer = lazily(async (): Promise<void> => {
    if (!isOffered(parts.tools, { name: toolName })) return
    const [{ isForProject }, { all, permission }] = await Promise.all([
      import("#ground/lsp/find-servers.ts"),
      servers(),
    ])
    const usable = all.filter((server) => {
      const may = permission(server)
      return may === "yes" || (may === "ask" && shared.canAsk())
    })
    if (!isForProject(usable, place.cwd)) return
    const { lspTool } = await import("#kits/lsp/tool.ts")
    tools = [lspTool({ ...shared, servers, clock: parts.clock })]
  })
  let hasOffered = false

  return {
    servers,
    tool: () => tools,
    async states() {
      const { all, of } = await servers()
      const root = realPath(place.cwd)
      return all.map((config) => {
        const { status, reason } = of(config, root)
        return { name: config.name, command: config.command, status: status(), ...optional("reason", reason()) }
      })
    },
    kit: {
      name: "language servers",
      // Its own patience is shorter than any; what else it waits for is the user.
      isAwaited: true,
      async middleware(call, next) {
        if (!inner && !isReadOnly(call.footprint)) await load()
        return inner?.middleware ? inner.middleware(call, next) : next(call)
      },
      attachments(signal) {
        if (hasOffered) return inner?.attachments?.(signal) ?? []
        hasOffered = true
        return offer().then(() => inner?.attachments?.(signal) ?? [])
      },
      beforeRest: async (signal) => inner?.beforeRest?.(signal),
      rest: () => inner?.rest?.() ?? [],
      stirs(how) {
        wake = how
        return () => void (wake = () => {})
      },
      conversation: { reset: () => inner?.conversation?.reset(), onEntry: byKind({}) },
      onEntry: byKind({
        attachment: (entry) => inner?.onEntry?.(entry),
        snapshot: (entry) => inner?.onEntry?.(entry),
        turn_start: (entry) => inner?.onEntry?.(entry),
        turn_end: (entry) => inner?.onEntry?.(entry),
      }),
      // Those of an agent belong to the session that started it.
      ...(lineage.depth === 0 && { close: async () => found?.close() }),
    },
  }
}

async function openServers(parts: LspParts, lsp: NonNullable<SessionOptions["lsp"]>): Promise<LanguageServers> {
  const [{ findLanguageServers }, { openLanguageServers }, { openServerApprovals }] = await Promise.all([
    import("#ground/lsp/find-servers.ts"),
    import("#kits/lsp/servers.ts"),
    import("#ground/lsp/approvals.ts"),
  ])
  const { place, clock, record } = parts
  const warn = parts.lineage.warn((text) => record({ kind: "notice", level: "warning", text }))
  const { servers, problems } = findLanguageServers({ ...lsp, path: place.childEnv().PATH })
  for (const problem of problems) warn(problem)
  const approvals = openServerApprovals(place.stateFolder)
  return openLanguageServers({
    servers,
    start: (server, root, signal) => startServer(server, root, parts, signal),
    approved: (server) => approvals.get(place.cwd, server),
    keep: (server, isApproved) => approvals.keep(place.cwd, server, isApproved),
    bypasses: () => parts.mode() === "bypassPermissions",
    warn,
    clock,
  })
}

async function startServer(
  server: LanguageServer,
  root: string,
  { place, ground, sandbox, clock, ids }: LspParts,
  signal: AbortSignal,
): Promise<Result<LanguageClient, string>> {
  const [{ resolveCommand }, { openLanguageClient }] = await Promise.all([
    import("#ground/lsp/find-servers.ts"),
    import("#ground/lsp/client.ts"),
  ])
  const env = place.childEnv()
  const file = resolveCommand(server.command, env.PATH)
  if (file === undefined) return failed(`there is no program ${server.command}`)
  const started = await startEnclosed(
    { file, argv: server.args, cwd: root, env: { ...env, ...server.env } },
    {
      processes: ground.workspace.processes,
      ids,
      // They run code of the project, as commands do.
      ...(sandbox?.values.enabled && { enclose: ground.walls.encloseProgram }),
    },
  )
  if (!started.ok) return started
  return openLanguageClient(started.value, { server, root, version: place.version, clock }, signal)
}
