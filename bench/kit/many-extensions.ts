/** Hundreds of commands and skills, dozens of plugins and servers, of a user who collects them. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Installed, pluginsFolder, stampOf, writeRecords } from "#ground/plugins/store.ts"
import { digestsOf, treeDigest, type TreeFile, writeFiles } from "#ground/plugins/tree.ts"
import type { BenchPlace } from "./place.ts"

export const many = { skills: 500, commands: 300, plugins: 40, servers: 30 } as const
/** Of each plugin. */
const parts = { skills: 8, commands: 8, references: 3 } as const

export function fillSkills({ home }: BenchPlace): void {
  const folder = join(home, ".claude")
  for (let i = 0; i < many.skills; i++) {
    mkdirSync(join(folder, "skills", `skill-${i}`), { recursive: true })
    writeFileSync(join(folder, "skills", `skill-${i}`, "SKILL.md"), markdown("skill", i))
  }
  mkdirSync(join(folder, "commands"), { recursive: true })
  for (let i = 0; i < many.commands; i++)
    writeFileSync(join(folder, "commands", `command-${i}.md`), markdown("command", i))
}

/** Installed and turned on, as `plugin install` leaves them. */
export function fillPlugins({ state }: BenchPlace): void {
  const names = Array.from({ length: many.plugins }, (_, i) => `plugin-${i}`)
  writeRecords(state, {
    marketplaces: {},
    plugins: Object.fromEntries(names.map((name) => [name, install(state, name)])),
  })
  writeFileSync(
    join(state, "settings.json"),
    JSON.stringify({ enabledPlugins: Object.fromEntries(names.map((name) => [name, true])) }),
  )
}

function install(state: string, name: string): Installed {
  const files = filesOf(name)
  const digests = digestsOf(files)
  const digest = treeDigest(digests)
  const folder = join("installed", name, digest.slice(0, 24))
  const whole = join(pluginsFolder(state), folder)
  writeFiles(whole, files)
  return {
    name,
    source: { kind: "folder", path: `/nowhere/${name}` },
    pin: {},
    digest,
    folder,
    version: "1.0.0",
    isApproved: true,
    runs: [],
    promptTokens: 400,
    files: digests,
    stamp: stampOf(whole, digests),
  }
}

function filesOf(name: string): readonly TreeFile[] {
  const file = (path: string, text: string): TreeFile => ({
    path,
    bytes: new TextEncoder().encode(text),
    executable: false,
  })
  const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)
  return [
    file(".claude-plugin/plugin.json", JSON.stringify({ name, version: "1.0.0", description: `The plugin ${name}` })),
    ...numbers(parts.commands).map((i) => file(`commands/do-${i}.md`, markdown("command", i))),
    ...numbers(parts.skills).map((i) => file(`skills/know-${i}/SKILL.md`, markdown("skill", i))),
    ...numbers(parts.references).map((i) => file(`skills/know-${i}/reference.md`, markdown("reference", i))),
  ]
}

/** The user's own servers, turned off in this folder: they are known and not started. */
export function fillServers({ state, work }: BenchPlace): void {
  const servers = Array.from({ length: many.servers }, (_, i) => [
    `server-${i}`,
    { command: "/nowhere/server", args: [`--number=${i}`], env: { LEVEL: "info" } },
  ])
  writeFileSync(join(state, "mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(servers) }))
  const disabled = servers.map(([name]) => name)
  writeFileSync(join(state, "mcp-approvals.json"), JSON.stringify({ version: 1, projects: { [work]: { disabled } } }))
}

const markdown = (what: string, i: number): string =>
  `---\nname: ${what}-${i}\ndescription: Does what number ${i} of this ${what} list is about, whenever somebody asks for it in words like these\n---\n${"A line of its text, long enough to be one of many.\n".repeat(20)}`
