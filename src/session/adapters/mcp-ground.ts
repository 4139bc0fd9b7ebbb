/** What connecting to an MCP server needs: processes, addresses, helper headers, and logins. */

import type { ConnectPorts } from "#ground/mcp/connect.ts"
import type { PinnedRequests } from "#ground/mcp/fetches.ts"
import type { StdioChild } from "#ground/mcp/stdio.ts"
import type { AllowsPrivate } from "#ground/web/addresses.ts"
import type { Processes } from "#ground/workspace/processes/process.ts"
import { type ProcessFailure, type Program, sayProcess } from "#ground/workspace/processes/process-groups.ts"
import { attempts } from "#kits/tools/confined.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { SessionPlace } from "#session/opening/options.ts"
import type { EncloseProgram } from "./program-walls.ts"

export interface McpGroundParts {
  readonly place: Pick<SessionPlace, "cwd" | "childEnv" | "stateFolder" | "version" | "network">
  readonly clock: Clock
  readonly processes: Processes
  readonly allowsPrivate: AllowsPrivate
  readonly enclose?: EncloseProgram | undefined
  readonly ids: Ids
  readonly inside?: ConnectPorts["inside"]
}

/** Created with the first server that is contacted. */
export function connectPorts(parts: McpGroundParts): () => Promise<ConnectPorts> {
  const { place, clock } = parts
  const make = async (): Promise<ConnectPorts> => {
    const [{ openLoginStore }, { openOlderServers }] = await Promise.all([
      import("#ground/mcp/login-store.ts"),
      import("#ground/mcp/older-servers.ts"),
    ])
    return {
      clock,
      version: place.version,
      cwd: place.cwd,
      env: place.childEnv,
      network: place.network,
      ...optional("inside", parts.inside),
      start: (program) => startEnclosed(program, parts),
      openPinned: (name, local) => pinnedRequests({ ...parts, network: place.network }, name, local),
      runHelper: (command, signal) => runHelper(command, parts, signal),
      logins: openLoginStore(place.stateFolder),
      older: openOlderServers(place.stateFolder, clock),
    }
  }
  let made: Promise<ConnectPorts> | undefined
  return () => (made ??= make())
}

/** A program to talk to, confined where that is asked for. */
export async function startEnclosed(
  program: Program,
  { processes, enclose, ids }: Pick<McpGroundParts, "processes" | "enclose" | "ids">,
): Promise<Result<StdioChild, string>> {
  const enclosed = enclose && (await enclose({ program, needed: { reads: [], writes: [] }, callId: ids.uuid() }))
  if (enclosed && !enclosed.ok) return failed(notStarted(enclosed.failure))
  const { finish = () => {}, failure = async () => undefined, violations = () => [] } = enclosed?.value ?? {}
  const started = processes.talk(enclosed?.value.program ?? program)
  if (!started.ok) {
    finish()
    return failed(notStarted(started.failure))
  }
  let account: string | undefined
  // The exit code may be requested after its source is gone.
  const exited = started.value.exited.then(async (code) => {
    const broken = code === 0 ? undefined : await failure()
    account = broken ? notStarted(broken) : refusals(attempts(violations()))
    finish()
    return code
  })
  return ok({ ...started.value, exited, account: () => account })
}

const notStarted = (failure: ProcessFailure): string =>
  failure.kind === "unconfined" ? `The sandbox does not work: ${failure.why}. ${failure.fix}` : sayProcess(failure)

const refusals = (refused: readonly string[]): string | undefined =>
  refused.length === 0 ? undefined : `The sandbox refused ${refused.join(", ")}.`

/** URLs from a project's file may only lead to the public internet, unless a rule names the host. */
export async function pinnedRequests(
  { allowsPrivate, clock, network }: Pick<McpGroundParts, "allowsPrivate" | "clock"> & Pick<SessionPlace, "network">,
  name: string,
  local?: string,
): Promise<PinnedRequests> {
  const [{ guardedAddresses, withLocalPort }, { openPinned }] = await Promise.all([
    import("#ground/web/addresses.ts"),
    import("#ground/web/pinned.ts"),
  ])
  const policy = guardedAddresses(allowsPrivate)
  return openPinned({
    clock,
    network,
    purpose: { why: "mcp", name, chosenBy: "others" },
    policy: local === undefined ? policy : withLocalPort(policy, local),
  })
}

const helperMs = 10_000
const helperBytes = 64_000

/** The helper is a shell command that the user wrote, or approved with its server. */
async function runHelper(
  command: string,
  { place, processes }: McpGroundParts,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const fed = processes.feed({
    file: "/bin/sh",
    argv: ["-c", command],
    cwd: place.cwd,
    env: place.childEnv(),
    input: "",
    timeoutMs: helperMs,
    signal,
    mostBytes: helperBytes,
  })
  if (!fed.ok) return failed(sayProcess(fed.failure))
  const { exitCode, end, stdout, stderr } = await fed.value.ended
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).trim()
  if (end === "exited" && exitCode === 0) return ok(text(stdout))
  if (end === "exited") return failed(`it ended with ${exitCode ?? "a signal"}. ${text(stderr).slice(0, 300)}`)
  return failed(end === "timed_out" ? `it took longer than ${helperMs / 1000} s.` : "it was interrupted.")
}
