/**
 * A server with skills. With a folder of skills it is made with the official package; with a file it is our own and serves
 * what that file says, however wrong. Each request is written to `<given>.log`.
 */

import { appendFileSync, readFileSync, statSync } from "node:fs"
import { createInterface } from "node:readline"

interface Served {
  readonly hasExtension: boolean
  readonly skills: readonly unknown[]
  readonly files: Readonly<Record<string, string>>
  /** Only given to those who ask for one by its address. */
  readonly unlisted?: readonly { readonly uri: string }[]
  /** Answered to whoever reads a folder; none can be read when absent. */
  readonly folders?: Readonly<Record<string, readonly string[]>>
}

interface Request {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly uri?: string }
}

const [, , given = "", speaks = "modern"] = process.argv
const extension = "io.modelcontextprotocol/skills"
const kept = { resultType: "complete", ttlMs: 0, cacheScope: "private" }

if (statSync(given).isDirectory()) {
  // Most servers are our own, and loading the package costs more than all that they do.
  const [{ McpServer }, { loadSkills }, { serveStdio }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/ext/skills/node"),
    import("@modelcontextprotocol/server/stdio"),
  ])
  const skills = await loadSkills(given)
  serveStdio(
    () => {
      const server = new McpServer({ name: "shelf", version: "1" }, { capabilities: { resources: {} } })
      skills.attach(server)
      return server
    },
    speaks === "modern" ? { legacy: "reject" } : {},
  )
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params }: Request = JSON.parse(line)
    appendFileSync(`${given}.log`, `${[method, params?.uri].filter(Boolean).join(" ")}\n`)
    if (id === undefined) continue
    const result = answerTo(method, params?.uri ?? "", JSON.parse(readFileSync(given, "utf8")))
    const answer = result ? { result } : { error: { code: -32601, message: "Unknown." } }
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`)
  }
}

function answerTo(method: string, uri: string, served: Served): unknown {
  switch (method) {
    case "server/discover":
      return {
        ...kept,
        supportedVersions: ["2026-07-28"],
        capabilities: {
          resources: {},
          ...(served.hasExtension && { extensions: { [extension]: { directoryRead: served.folders !== undefined } } }),
        },
        serverInfo: { name: "shelf", version: "1" },
      }
    case "resources/list":
      return { ...kept, resources: [] }
    case "resources/templates/list":
      return { ...kept, resourceTemplates: [] }
    case "skills/list":
      return { ...kept, skills: served.skills }
    case "skills/get": {
      const skill = served.unlisted?.find((one) => one.uri === uri)
      return skill && { ...kept, skill }
    }
    case "resources/directory/read":
      return { ...kept, resources: (served.folders?.[uri] ?? []).map((child) => ({ uri: child, name: child })) }
    case "resources/read":
      return { ...kept, contents: [{ uri, mimeType: "text/markdown", text: served.files[uri] ?? "" }] }
    default:
      return undefined
  }
}
