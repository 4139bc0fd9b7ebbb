/** Debian's Postgres, started by the test as an ordinary user and gone afterwards. */

import { chownSync, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../tmp.ts"

const versions = "/usr/lib/postgresql"

/** The folder of its programs, if it is installed. */
const programs: string | undefined = (existsSync(versions) ? readdirSync(versions) : [])
  .toSorted((a, b) => Number(b) - Number(a))
  .map((version) => join(versions, version, "bin"))
  .find((folder) => existsSync(join(folder, "initdb")))

export const hasPostgres: boolean = programs !== undefined
if (!hasPostgres) process.stderr.write("Tests with a Postgres server are skipped: apt-get install postgresql\n")

export interface PostgresServer extends AsyncDisposable {
  readonly url: string
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

/** `fsync` is off: what is tested is not whether Debian's Postgres survives a power failure. */
const settings = ["fsync=off", "max_connections=120", "shared_buffers=32MB", "listen_addresses=127.0.0.1"]

export async function startPostgres(): Promise<PostgresServer> {
  const folder = temporaryFolder()
  const data = folder.join("data")
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder.path, 65534, 65534)
  const asUser = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
  async function run(program: string, ...args: readonly string[]): Promise<void> {
    const { exited, stdout, stderr } = Bun.spawn([...asUser, join(programs ?? "", program), ...args], {
      cwd: folder.path,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    const [code, out, err] = await Promise.all([exited, stdout.text(), stderr.text()])
    if (code !== 0) throw new Error(`${program}: ${out}${err}`)
  }
  await run("initdb", "-D", data, "-U", "codewright", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")
  const port = freePort()
  const options = [`-p ${port}`, `-k ${folder.path}`, ...settings.map((each) => `-c ${each}`)].join(" ")
  const start = (): Promise<void> => run("pg_ctl", "-D", data, "-l", folder.join("log"), "-o", options, "-w", "start")
  const stop = (): Promise<void> => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
  await start()
  return {
    url: `postgres://codewright@127.0.0.1:${port}/postgres`,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop().catch(() => undefined)
      folder[Symbol.dispose]()
    },
  }
}

export function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } })
  server.stop(true)
  return server.port
}
