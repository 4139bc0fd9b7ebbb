/** Where completions come from that only the session and the disk know. */

import { never } from "#lib/never.ts"
import type { SessionPort } from "#session/port/session.ts"
import type { AskedArgument } from "./effect.ts"
import type { PanelPorts } from "./panels/ports.ts"
import type { CompletionOption } from "./state.ts"

interface Sources {
  readonly findFiles: (words: string, signal: AbortSignal) => Promise<readonly string[]>
  readonly ask: SessionPort["ask"]
}

const mostOthers = 10

export async function mentionOptions(
  { findFiles, ask }: Sources,
  words: string,
  signal: AbortSignal,
): Promise<readonly CompletionOption[]> {
  const [paths, about, servers] = await Promise.all([
    findFiles(words, signal),
    ask({ type: "about" }),
    ask({ type: "servers" }),
  ])
  const agents = (about.agents ?? []).map((name) => ({ text: `agent-${name}`, about: "agent" }))
  const resources = servers.flatMap(({ name, resources: own }) =>
    own.map((resource) => ({ text: `${name}:${resource.uri}`, about: resource.name })),
  )
  const others = [...agents, ...resources].filter(({ text, about: says }) => isIn(words, `${text} ${says}`))
  // Nothing was typed yet: files first, as nearly always meant.
  return [...paths.map(asPath), ...others.slice(0, mostOthers)]
}

export async function argumentOptions(
  sources: Sources & { readonly panels: Pick<PanelPorts, "models" | "sessions"> },
  command: AskedArgument,
  words: string,
  signal: AbortSignal,
): Promise<readonly CompletionOption[]> {
  const { ask, panels, findFiles } = sources
  switch (command) {
    case "model":
      return ((await panels.models?.list(signal)) ?? []).map(({ id, aliases }) => ({
        text: id,
        about: aliases.join(", "),
      }))
    case "agents":
      return (await ask({ type: "agent_types" })).map(({ agentType, whenToUse }) => ({
        text: agentType,
        about: firstLine(whenToUse),
      }))
    case "resume": {
      const rows = await panels.sessions?.list(words, signal)
      if (!rows?.ok) return []
      return rows.value.map(({ title, firstPrompt }) => ({ text: firstLine(title ?? firstPrompt), about: "" }))
    }
    case "output-style":
      return (await ask({ type: "styles" })).names.map((text) => ({ text, about: "" }))
    case "mcp":
      return (await ask({ type: "servers" })).map(({ name, status }) => ({ text: name, about: status }))
    case "skills":
      return (await ask({ type: "definitions" })).map(({ name, description }) => ({
        text: name,
        about: firstLine(description),
      }))
    case "add-dir":
      return (await findFiles(words === "" ? "../" : words, signal)).filter((path) => path.endsWith("/")).map(asPath)
    default:
      return never(command)
  }
}

const asPath = (path: string): CompletionOption =>
  path.endsWith("/") ? { text: path, about: "", goesOn: true } : { text: path, about: "" }

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

const isIn = (words: string, text: string): boolean => text.toLowerCase().includes(words.toLowerCase())
