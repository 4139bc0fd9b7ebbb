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
  readonly readFolder: (server: string, uri: string, signal: AbortSignal) => Promise<Result<readonly string[], string>>
  /** The servers whose skills the model was given. */
  readonly skillsInUse: () => readonly string[]
  readonly maxResultChars: number
  readonly save?: SaveFile | undefined
}

const mostListed = 200

export function resourceTools(ports: ResourcePorts): readonly AnyTool[] {
  const { servers, read, readFolder, skillsInUse, maxResultChars, save } = ports
  /** A skill of one server must not get what another one holds. */
  const fromAnother = (server: string): string | undefined => {
    const others = skillsInUse().filter((one) => one !== server)
    if (others.length === 0) return undefined
    return `The model follows a skill of the MCP server ${others.join(" and ")}, and this would read from ${server}.`
  }
  const list = defineTool({
    name: "ListMcpResources",
    aliases: ["ListMcpResourcesTool"],
    description:
      "Lists the resources of MCP servers: addresses, names, and templates with placeholders to fill in. ReadMcpResource reads one.",
    input: shape.object({
      server: shape.string().describe("Only what this server holds").optional(),
      folder: shape.string().describe("With a server: only what is directly in this folder, by its address").optional(),
    }),
    title: ({ server }) => (server === undefined ? "Resources" : `Resources of ${server}`),
    footprint: touchesNothing,
    changed: ({ server, folder }) => (server === undefined || folder === undefined ? undefined : fromAnother(server)),
    async run({ server, folder }, { signal }) {
      if (folder !== undefined && server === undefined) return refused("Name the server that has this folder.")
      if (folder !== undefined && server !== undefined) {
        if (!servers().some(({ name }) => name === server)) return refused(noSuchServer(server, servers()))
        const got = await readFolder(server, folder, signal)
        if (!got.ok) return refused(`${folder} could not be listed. ${got.failure}`)
        return answered(got.value.map((uri) => `- ${uri}`).join("\n") || "The folder is empty.")
      }
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
    changed: ({ server }) => fromAnother(server),
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
