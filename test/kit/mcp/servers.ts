/** MCP servers for tests: the official ones as real processes, and a misbehaving one of our own. */

import { setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import type { McpServer } from "#ground/mcp/server-config.ts"
import type { McpChoice } from "#kits/mcp/ports.ts"
import { ok } from "#lib/result.ts"

// Each server is a program of its own; a busy machine is no failure.
setDefaultTimeout(300_000)

const modules = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol")
const node = Bun.which("node") ?? "node"

const program = (
  name: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): McpServer => ({ name, source: "user", config: ok({ kind: "stdio", command, args, env }) })

export const everything = (name = "everything"): McpServer =>
  program(name, node, [join(modules, "server-everything/dist/index.js"), "stdio"])

export const filesystem = (...folders: string[]): McpServer =>
  program("files", node, [join(modules, "server-filesystem/dist/index.js"), ...folders])

export const memory = (file: string): McpServer =>
  program("memory", node, [join(modules, "server-memory/dist/index.js")], { MEMORY_FILE_PATH: file })

export const waywardFile: string = join(import.meta.dir, "wayward-server.ts")

/** Our own, which does wrong what its arguments say. */
export const wayward = (name: string, ...wrongs: string[]): McpServer =>
  program(name, process.execPath, [waywardFile, ...wrongs])

/** Made with the official package: both revisions, or only the newest. */
export const ofPackage = (speaks: "both" | "modern"): McpServer =>
  program("official", process.execPath, [join(import.meta.dir, "official-server.ts"), speaks])

/** Our own, which speaks only the newest revision and keeps its notes in this folder. */
export const modern = (folder: string): McpServer =>
  program("modern", process.execPath, [join(import.meta.dir, "modern-server.ts"), folder])

/** Has skills: those of a folder, or what a file says. */
export const shelf = (given: string, name = "shelf", speaks: "both" | "modern" = "modern"): McpServer =>
  program(name, process.execPath, [join(import.meta.dir, "skills-server.ts"), given, speaks])

/** Its tool becomes another one as soon as this file is there, and it reads any file that it is asked for. */
export const turncoat = (turn: string): McpServer =>
  program("coat", process.execPath, [join(import.meta.dir, "turncoat-server.ts"), turn])

/** Writes and connects as it is told. With a path it has to write there before it answers. */
export const reaching = (...needs: string[]): McpServer =>
  program("reach", process.execPath, [join(import.meta.dir, "reaching-server.ts"), ...needs])

export const remote = (
  name: string,
  url: string,
  more: { headers?: Record<string, string>; kind?: "http" | "sse"; headersHelper?: string } = {},
): McpServer => ({
  name,
  source: "user",
  config: ok({
    kind: more.kind ?? "http",
    url,
    headers: more.headers ?? {},
    ...(more.headersHelper !== undefined && { headersHelper: more.headersHelper }),
  }),
})

/** Tests wait for servers as long as it takes; what is tested is never how fast they are. */
export const servers = (list: readonly McpServer[], more: Partial<McpChoice> = {}): McpChoice => ({
  servers: list,
  limits: { startMs: 30_000, callMs: 600_000, outputTokens: 25_000 },
  ...more,
})

/** The everything server at an address of this machine. */
export async function everythingAt(kind: "http" | "sse"): Promise<AsyncDisposable & { readonly url: string }> {
  // Between finding a free port and using it, someone else may take it.
  for (let tries = 0; tries < 10; tries++) {
    const started = await startEverything(kind, await freePort())
    if (started) return started
  }
  throw new Error("The everything server does not start.")
}

async function startEverything(
  kind: "http" | "sse",
  port: number,
): Promise<(AsyncDisposable & { readonly url: string }) | undefined> {
  const child = Bun.spawn(
    [node, join(modules, "server-everything/dist/index.js"), kind === "http" ? "streamableHttp" : "sse"],
    { env: { PATH: "/usr/bin:/bin", PORT: String(port) }, stdio: ["ignore", "ignore", "pipe"] },
  )
  const listens = Promise.withResolvers<boolean>()
  void (async () => {
    let said = ""
    // Read to its end, so that the server never waits for someone to listen.
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      said = (said + chunk).slice(-10_000)
      if (said.includes(`on port ${port}\n`)) listens.resolve(true)
    }
    listens.resolve(false)
  })()
  const end = async (): Promise<void> => {
    child.kill("SIGKILL")
    await child.exited
  }
  if (await listens.promise)
    return { url: `http://127.0.0.1:${port}/${kind === "http" ? "mcp" : "sse"}`, [Symbol.asyncDispose]: end }
  await end()
  return undefined
}

async function freePort(): Promise<number> {
  const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") })
  const { port = 0 } = free
  await free.stop(true)
  return port
}
