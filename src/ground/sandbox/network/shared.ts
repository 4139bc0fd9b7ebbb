/**
 * The network shared by the commands of a session: the proxy in our process, and the namespace that leads nowhere
 * else.
 */

import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { HandedIn, Vault } from "#ground/sandbox/credentials/vault.ts"
import type { CredentialLine, NetworkPolicy } from "#ground/sandbox/policy.ts"
import type { Unconfinable } from "#ground/sandbox/port.ts"
import type { SandboxNetwork, SandboxTools } from "#ground/sandbox/sandbox.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { makeTemporaryFolder } from "#lib/temporary-folder.ts"
import type { GateOptions, Resolve, ConnectionWish } from "./gate.ts"
import { loopbackPorts } from "./hosts.ts"
import { type Net, openNet } from "./net.ts"
import { judgeBy, openProxy, type Proxy } from "./proxy.ts"
import type { Credentials } from "./service.ts"

export interface SharedNetworkOptions {
  readonly folder: string
  readonly clock: Clock
  readonly ids: Ids
  readonly resolve: Resolve
  /** Called for every connection that was made. */
  readonly reached?: GateOptions["reached"]
  readonly upstream?: GateOptions["upstream"]
  /** Asks the user about a host that the policy leaves open. */
  readonly ask: (wish: ConnectionWish, signal: AbortSignal) => Promise<"allow" | "deny">
}

interface Opened {
  /** The second one exchanges sentinels, for the programs that have some. */
  readonly proxies: readonly [Proxy, Proxy]
  readonly net: Net
  readonly folder: string
}

export function openSharedNetwork(options: SharedNetworkOptions, tools: SandboxTools): SandboxNetwork {
  const { clock, ids, resolve, ask, reached, upstream } = options
  let policy: NetworkPolicy = { mode: "off", because: "no command has asked for it yet" }
  let opened: Opened | undefined
  let vault: Vault | undefined
  let credentials: Credentials | undefined

  function open(): Result<Opened, Unconfinable> {
    try {
      const place = placeForSockets(options.folder)
      if (!place.ok) return failed({ why: "its proxy cannot listen", fix: place.failure })
      const folder = place.value
      const [socket, second] = [join(folder, "proxy"), join(folder, "proxy2")]
      const judged = judgeBy(() => policy, ask)
      const plain = openProxy({ socket, resolve, clock, reached, upstream, ...judged })
      if (!plain.ok) return failed(cannotListen(plain.failure))
      const exchanging = openProxy({
        socket: second,
        resolve,
        clock,
        reached,
        upstream,
        ...judged,
        credentials: () => credentials,
      })
      if (!exchanging.ok) return failed(cannotListen(exchanging.failure))
      const net = openNet({ ...tools, socket, second, folder, hostPorts: () => loopbackPorts(policy), clock })
      return ok({ proxies: [plain.value, exchanging.value], net, folder })
    } catch (error) {
      return failed(cannotListen(error instanceof Error ? error.message : String(error)))
    }
  }

  /** Most sessions have none, and load nothing of it. */
  async function handIn(
    lines: readonly CredentialLine[],
    env: Readonly<Record<string, string>>,
    folder: string,
  ): Promise<HandedIn | undefined> {
    const isThere = ({ from }: CredentialLine): boolean =>
      from.kind === "variable" ? env[from.name] !== undefined : existsSync(from.path)
    if (!lines.some(isThere)) return undefined
    const { openVault } = await import("#ground/sandbox/credentials/vault.ts")
    vault ??= openVault({ folder: join(folder, "credentials"), ids, clock })
    let sockets = 0
    credentials ??= { ...vault, socket: () => join(folder, `tls${sockets++}`) }
    return vault.handIn(lines, env)
  }

  return {
    async ensure(wanted, env) {
      policy = wanted.network
      const now = opened ? ok(opened) : open()
      if (!now.ok) return now
      opened = now.value
      const joinable = await opened.net.ensure()
      if (!joinable.ok) return joinable
      const handedIn = await handIn(wanted.credentials ?? [], env, opened.folder).then(ok, failed)
      if (!handedIn.ok)
        return failed({
          why: `its copies of files with credentials cannot be written: ${String(handedIn.failure)}`,
          fix: "Free some space and try again.",
        })
      const handed = handedIn.value
      return ok({
        pid: joinable.value.pid,
        // Who has no sentinel, such as a server that you configured, is left alone: TLS stays between it and its host.
        env: (callId) => ({ ...joinable.value.env(callId, handed && "second"), ...handed?.variables }),
        copies: handed?.copies ?? [],
        reads: handed?.reads ?? [],
      })
    },
    refused: (callId) => opened?.proxies.flatMap((proxy) => proxy.violations(callId)) ?? [],
    forget: (callId) => opened?.proxies.forEach((proxy) => proxy.forget(callId)),
    async close() {
      await opened?.net.close()
      for (const proxy of opened?.proxies ?? []) proxy.close()
      if (opened) rmSync(opened.folder, { recursive: true, force: true })
    },
  }
}

/** Unix socket paths have a length limit; this leaves room for a file name. */
const longestFolder = 80

function placeForSockets(folder: string): Result<string, string> {
  if (Buffer.byteLength(folder) > longestFolder) return makeTemporaryFolder("cw-")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return ok(folder)
}

const cannotListen = (problem: string): Unconfinable => ({
  why: `its proxy cannot listen: ${problem}`,
  fix: "Free some space and try again.",
})
