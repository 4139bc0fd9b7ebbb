/** Debian's Postgres, started by the test as an ordinary user and gone afterwards. */

import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { temporaryFolder } from "../tmp.ts"

const versions = "/usr/lib/postgresql"

/** The folder of its programs, if it is installed. */
const programs: string | undefined = (existsSync(versions) ? readdirSync(versions) : [])
  .toSorted((a, b) => Number(b) - Number(a))
  .map((version) => join(versions, version, "bin"))
  .find((folder) => existsSync(join(folder, "initdb")))

export const hasPostgres: boolean = programs !== undefined
if (!hasPostgres) process.stderr.write("Tests with a Postgres server are skipped: apt-get install postgresql\n")

export interface PostgresDatabase extends AsyncDisposable {
  readonly url: string
}

export interface PostgresServer extends PostgresDatabase {
  /** Of the process that all others of it are children of, as it was started first. */
  readonly pid: number
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

/** What is tested is not whether Debian's Postgres survives a power failure, nor how it tidies up databases of a minute. */
const settings = ["fsync=off", "full_page_writes=off", "jit=off", "autovacuum_naptime=1h", "shared_buffers=64MB"]

/** On the server that `npm test` has started for all tests, a database that has our tables and is copied. */
export const readyDatabase = "ready"

/**
 * A database that nobody else uses: on the server that `npm test` has started for all tests, or else on one of its own.
 * For whoever tests how tables are made, an empty one.
 */
export async function openPostgres({ empty = false }: { readonly empty?: boolean } = {}): Promise<PostgresDatabase> {
  const shared = process.env["CODEWRIGHT_TEST_POSTGRES"]
  if (shared === undefined) return startPostgres()
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  const admin = new Bun.SQL(shared, { max: 1 })
  await admin.unsafe(`create database ${name} ${empty ? "" : `template ${readyDatabase}`} strategy file_copy`)
  return {
    url: Object.assign(new URL(shared), { pathname: `/${name}` }).href,
    async [Symbol.asyncDispose]() {
      await admin.unsafe(`drop database ${name} with (force)`).catch(() => undefined)
      await admin.close()
    },
  }
}

/** For tests that stop and start it. `usual` leaves all settings as Postgres has them, 100 connections among them. */
export async function startPostgres({
  usual = false,
  connections = 400,
}: { readonly usual?: boolean; readonly connections?: number } = {}): Promise<PostgresServer> {
  const folder = temporaryFolder()
  const data = folder.join("data")
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder.path, 65534, 65534)
  const asUser = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
  const run = (program: string, ...args: readonly string[]): Promise<string> =>
    output([...asUser, join(programs ?? "", program), ...args], folder.path)
  const empty = await emptyData()
  if (existsSync(empty)) await copy(empty, data)
  else {
    await run("initdb", "-D", data, "-U", "codewright", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")
    await keep(data, empty)
  }
  const port = freePort()
  const options = [
    `-p ${port}`,
    `-k ${folder.path}`,
    "-c listen_addresses=127.0.0.1",
    ...(usual ? [] : [...settings, `max_connections=${connections}`]).map((each) => `-c ${each}`),
  ].join(" ")
  const control = async (...args: readonly string[]): Promise<void> =>
    void (await run("pg_ctl", "-D", data, "-w", ...args))
  const start = (): Promise<void> => control("-l", folder.join("log"), "-o", options, "start")
  const stop = (): Promise<void> => control("-m", "immediate", "stop")
  await start()
  return {
    url: `postgres://codewright@127.0.0.1:${port}/postgres`,
    pid: Number.parseInt(readFileSync(join(data, "postmaster.pid"), "utf8"), 10),
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop().catch(() => undefined)
      folder[Symbol.dispose]()
    },
  }
}

const cache = resolve(import.meta.dir, "../../../node_modules/.cache/codewright-postgres")

/** Where the data of a server that was never started are kept for the next ones: to copy them takes a fraction of the time. */
async function emptyData(): Promise<string> {
  const version = await output([join(programs ?? "", "initdb"), "--version"], "/")
  const made = [version, process.getuid?.(), readFileSync(import.meta.path, "utf8")]
  return join(cache, new Bun.CryptoHasher("sha256").update(JSON.stringify(made)).digest("hex").slice(0, 16))
}

/** They are there whole or not at all, also if this process is killed meanwhile or others do the same. */
async function keep(data: string, empty: string): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const place = mkdtempSync(join(cache, "making-"))
  try {
    await copy(data, join(place, "data"))
    renameSync(join(place, "data"), empty)
  } catch (error) {
    if (!existsSync(empty)) throw error
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

const copy = (from: string, to: string): Promise<string> => output(["cp", "-a", "--reflink=auto", from, to], "/")

async function output(command: readonly string[], cwd: string): Promise<string> {
  const { exited, stdout, stderr } = Bun.spawn([...command], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [code, out, err] = await Promise.all([exited, stdout.text(), stderr.text()])
  if (code !== 0) throw new Error(`${command.join(" ")}: ${out}${err}`)
  return out
}

export function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } })
  server.stop(true)
  return server.port
}
