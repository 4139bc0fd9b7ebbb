/** Debian's PgBouncer in front of a Postgres server, in its transaction mode: a few connections to the server, lent for one transaction at a time. */

import { chownSync, writeFileSync } from "node:fs"
import { temporaryFolder } from "../tmp.ts"
import { freePort } from "./postgres-server.ts"

const program = "/usr/sbin/pgbouncer"

export interface Pooler extends AsyncDisposable {
  readonly url: string
  /** As a power failure would. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

export async function openPooler(url: string, size: number): Promise<Pooler> {
  const folder = temporaryFolder()
  const there = new URL(url)
  const port = freePort()
  const settings = [
    "[databases]",
    `* = host=${there.hostname} port=${there.port}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = trust",
    `auth_file = ${folder.join("users")}`,
    "pool_mode = transaction",
    `default_pool_size = ${size}`,
    "max_client_conn = 2000",
  ]
  writeFileSync(folder.join("users"), `"${there.username}" ""\n`)
  writeFileSync(folder.join("pgbouncer.ini"), `${settings.join("\n")}\n`)
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder.path, 65534, 65534)
  const asUser = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
  let child: Bun.Subprocess | undefined

  async function start(): Promise<void> {
    child = Bun.spawn([...asUser, program, "-q", folder.join("pgbouncer.ini")], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    })
    while (!(await listens(port)))
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}: apt-get install pgbouncer`)
  }
  async function kill(): Promise<void> {
    child?.kill(9)
    await child?.exited
  }
  await start()
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    kill,
    start,
    async [Symbol.asyncDispose]() {
      await kill()
      folder[Symbol.dispose]()
    },
  }
}

async function listens(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => undefined } })
    socket.end()
    return true
  } catch {
    await Bun.sleep(20)
    return false
  }
}
