/** The two tools for resources: list them, and read one. */

import { defineTool } from "#agent/words/define-tool.ts"
import { reads, touchesNothing } from "#agent/words/footprint.ts"
import { type AnyTool, answered, refused } from "#agent/words/tool.ts"
import type { JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import { contentOf } from "./content.ts"
import { fileIn } from "./file-address.ts"
import type { McpServerState } from "./ports.ts"
import { type SaveFile, withSavedFiles } from "./saved-files.ts"

export interface ResourcePorts {
  readonly servers: () => readonly McpServerState[]
  readonly read: (server: string, uri: string, signal: AbortSignal) => Promise<Result<readonly JsonValue[], string>>
  readonly maxResultChars: number
  readonly save?: SaveFile | undefined
}

const mostListed = 200

export function resourceTools({ servers, read, maxResultChars, save }: ResourcePorts): readonly AnyTool[] {
  const list = defineTool({
    name: "ListMcpResources",
    aliases: ["ListMcpResourcesTool"],
    description:
      "Lists the resources of MCP servers: addresses, names, and templates with placeholders to fill in. ReadMcpResource reads one.",
    input: shape.object({ server: shape.string().describe("Only what this server holds").optional() }),
    title: ({ server }) => (server === undefined ? "Resources" : `Resources of ${server}`),
    footprint: touchesNothing,
    async run({ server }) {
      const asked = servers().filter(({ name }) => server === undefined || name === server)
      if (server !== undefined && asked.length === 0) return refused(noSuchServer(server, servers()))
      return answered(asked.map(listed).join("\n") || "No server has any resources.")
    },
  })
  const one = defineTool({
    name: "ReadMcpResource",
    aliases: ["ReadMcpResourceTool"],
    description: "Reads one resource of an MCP server by its address, as ListMcpResources gives it.",
    input: shape.object({
      server: shape.string().min(1).describe("The name of the server"),
      uri: shape.string().min(1).describe("The address of the resource"),
    }),
    title: ({ server, uri }) => `Resource ${server}:${uri}`,
    // Rules about files also apply to a file read through a server.
    footprint({ uri }) {
      const file = fileIn(uri)
      return file === undefined ? touchesNothing() : reads(file)
    },
    maxResultChars,
    async run({ server, uri }, { signal, callId }) {
      if (!servers().some(({ name }) => name === server)) return refused(noSuchServer(server, servers()))
      const got = await read(server, uri, signal)
      if (!got.ok) return refused(`${uri} could not be read from ${server}. ${got.failure}`)
      if (got.value.length === 0) return answered("The resource is empty.")
      const blocks = got.value.map((resource): JsonValue => ({ type: "resource", resource }))
      return answered(contentOf(await withSavedFiles(blocks, callId, save)))
    },
  })
  return [list, one]
}

function listed({ name, status, resources, templates }: McpServerState): string {
  if (status !== "connected") return `${name}: not connected`
  const lines = [
    ...resources.map(({ uri, name: title, mimeType }) => `- ${uri} (${[title, mimeType].filter(Boolean).join(", ")})`),
    ...templates.map(({ uriTemplate, name: title }) => `- ${uriTemplate} (${title}; fill in what is in braces)`),
  ]
  const more = lines.length - mostListed
  const shown = more > 0 ? [...lines.slice(0, mostListed), `- and ${more} more`] : lines
  return [`${name}:`, ...(shown.length === 0 ? ["- nothing"] : shown)].join("\n")
}

const noSuchServer = (name: string, all: readonly McpServerState[]): string =>
  `There is no MCP server ${name}. ${all.length === 0 ? "None is configured." : `There are: ${all.map((one) => one.name).join(", ")}.`}`
