/** Plugins after the shapes of public ones, with their oddities: what is in each, and what must come of it. */

import { join } from "node:path"
import type { JsonObject, JsonValue } from "#lib/json.ts"

export interface PluginShape {
  readonly name: string
  /** What is odd about it, or usual. */
  readonly about: string
  /** Relative to its folder; objects are written as JSON, `#!` files are executable. */
  readonly files: { readonly [path: string]: string | JsonObject }
  /** More of its entry in the marketplace. */
  readonly entry?: JsonObject
  /** Links, with their targets. */
  readonly links?: { readonly [path: string]: string }
  readonly becomes: {
    readonly commands?: readonly string[]
    readonly skills?: readonly string[]
    readonly agents?: readonly string[]
    readonly styles?: readonly string[]
    readonly servers?: readonly string[]
    /** Kinds of what it runs. */
    readonly runs?: readonly string[]
    /** Whether its hook leaves its mark. */
    readonly fires?: true
    readonly unsupported?: readonly string[]
    /** A part of each problem. */
    readonly problems?: readonly string[]
  }
}

const skill = (name: string, about = `How to ${name}`): string =>
  `---\nname: ${name}\ndescription: ${about}\n---\nDo ${name}.`
const command = (about: string): string =>
  `---\ndescription: ${about}\n---\nDo it in \${CLAUDE_PLUGIN_ROOT}: $ARGUMENTS`
const agent = (name: string): string => `---\nname: ${name}\ndescription: Use it to ${name}\n---\nYou ${name}.`
const manifest = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  version: "1.0.0",
  description: `About ${name}`,
  ...more,
})
const mark = { type: "command", command: 'date >> "$CLAUDE_PLUGIN_DATA/fired"' }
const fires = (event = "UserPromptSubmit"): JsonObject => ({ [event]: [{ hooks: [mark] }] })
const schema = (kind: "plugin" | "mcp", version = "1.0.0"): string =>
  `https://agent-plugins.org/schemas/${version}/${kind}.schema.json`
const portable = (name: string, more: JsonObject = {}): JsonObject => ({ $schema: schema("plugin"), name, ...more })
const asking = join(import.meta.dir, "../mcp/asking-server.ts")
const server = `import ${JSON.stringify(asking)}`
const runs = (path: string, more: JsonObject = {}): JsonObject => ({ command: process.execPath, args: [path], ...more })
const own = "${CLAUDE_PLUGIN_ROOT}/server.ts"
const mcp = (servers: JsonValue, version = "1.0.0"): JsonObject => ({
  $schema: schema("mcp", version),
  mcpServers: servers,
})

export const claudeShapes: readonly PluginShape[] = [
  {
    name: "commit-commands",
    about: "commands alone, with rules for their turn",
    files: {
      ".claude-plugin/plugin.json": manifest("commit-commands"),
      "commands/commit.md":
        "---\ndescription: Commit\nallowed-tools: Bash(git add:*), Bash(git commit:*)\n---\nStatus: !`git status`\nCommit.",
      "commands/clean.md": command("Clean up branches"),
    },
    becomes: { commands: ["clean", "commit"], runs: ["command"] },
  },
  {
    name: "no-manifest",
    about: "no manifest: the marketplace gives its name",
    files: { "skills/tie/SKILL.md": skill("tie") },
    becomes: { skills: ["tie"] },
  },
  {
    name: "listed-agents",
    about: "agents listed one by one, in the folder that is read anyway",
    files: {
      ".claude-plugin/plugin.json": manifest("listed-agents", { agents: ["./agents/first.md", "./agents/second.md"] }),
      "agents/first.md": agent("first"),
      "agents/second.md": agent("second"),
    },
    becomes: { agents: ["first", "second"] },
  },
  {
    name: "hook-file",
    about: "hooks with a description beside them",
    files: {
      ".claude-plugin/plugin.json": manifest("hook-file"),
      "hooks/hooks.json": { description: "Leaves a mark", hooks: fires() },
    },
    becomes: { runs: ["hook"], fires: true },
  },
  {
    name: "hook-inline",
    about: "hooks inside the manifest",
    files: { ".claude-plugin/plugin.json": manifest("hook-inline", { hooks: fires("SessionStart") }) },
    becomes: { runs: ["hook"], fires: true },
  },
  {
    name: "hook-twice",
    about: "the manifest names the file that is read anyway",
    files: {
      ".claude-plugin/plugin.json": manifest("hook-twice", { hooks: "./hooks/hooks.json" }),
      "hooks/hooks.json": { hooks: fires() },
    },
    becomes: { runs: ["hook"], fires: true },
  },
  {
    name: "hook-list",
    about: "a list of hook files, one of them missing",
    files: {
      ".claude-plugin/plugin.json": manifest("hook-list", { hooks: ["./config/a.json", "./config/b.json"] }),
      "config/a.json": { hooks: fires() },
    },
    becomes: { runs: ["hook"], fires: true, problems: ["./config/b.json, which does not exist"] },
  },
  {
    name: "server-file",
    about: "a server in .mcp.json",
    files: {
      ".claude-plugin/plugin.json": manifest("server-file"),
      ".mcp.json": { mcpServers: { desk: runs(own) } },
      "server.ts": server,
    },
    becomes: { servers: ["desk"], runs: ["server"] },
  },
  {
    name: "server-bare",
    about: "servers at the top of .mcp.json",
    files: {
      ".claude-plugin/plugin.json": manifest("server-bare"),
      ".mcp.json": { desk: runs(own) },
      "server.ts": server,
    },
    becomes: { servers: ["desk"], runs: ["server"] },
  },
  {
    name: "server-inline",
    about: "a server in the manifest, with a folder to work in",
    files: {
      ".claude-plugin/plugin.json": manifest("server-inline", {
        mcpServers: { desk: runs("./server.ts", { cwd: "${CLAUDE_PLUGIN_ROOT}" }) },
      }),
      "server.ts": server,
    },
    becomes: { servers: ["desk"], runs: ["server"] },
  },
  {
    name: "server-path",
    about: "the manifest says where the servers are",
    files: {
      ".claude-plugin/plugin.json": manifest("server-path", { mcpServers: "./config/servers.json" }),
      "config/servers.json": { mcpServers: { desk: runs("${CLAUDE_PLUGIN_ROOT}/config/server.ts") } },
      "config/server.ts": server,
    },
    becomes: { servers: ["desk"], runs: ["server"] },
  },
  {
    name: "language-file",
    about: "language servers in .lsp.json",
    files: {
      ".claude-plugin/plugin.json": manifest("language-file"),
      ".lsp.json": { go: { command: "gopls", args: ["serve"], extensionToLanguage: { ".go": "go" } } },
    },
    becomes: { runs: ["language server"] },
  },
  {
    name: "language-entry",
    about: "only a README: the marketplace says the rest",
    files: { "README.md": "# TypeScript" },
    entry: { strict: false, lspServers: { typescript: { command: "typescript-language-server", args: ["--stdio"] } } },
    becomes: { runs: ["language server"] },
  },
  {
    name: "styles",
    about: "an output style",
    files: {
      ".claude-plugin/plugin.json": manifest("styles"),
      "output-styles/terse.md": "---\ndescription: Few words\n---\nUse few words.",
    },
    becomes: { styles: ["terse"] },
  },
  {
    name: "status-line",
    about: "settings with a status line, and more than is followed",
    files: {
      ".claude-plugin/plugin.json": manifest("status-line"),
      "settings.json": { statusLine: { type: "command", command: "echo plugin" }, permissions: { allow: ["Bash(*)"] } },
    },
    becomes: { runs: ["status line"], unsupported: ["permissions in settings.json"] },
  },
  {
    name: "shared-first",
    about: "one folder, several plugins: each has the skills that its entry names",
    files: {},
    entry: { source: "./shared", strict: false, skills: ["./skills/sheet", "./skills/slides"] },
    becomes: { skills: ["sheet", "slides"] },
  },
  {
    name: "shared-second",
    about: "the other one",
    files: {},
    entry: { source: "./shared", strict: false, skills: ["./skills/letters"] },
    becomes: { skills: ["letters"] },
  },
  {
    name: "one-skill",
    about: "a folder that is a skill",
    files: { "SKILL.md": skill("one-skill"), "reference.md": "More." },
    becomes: { skills: ["one-skill"] },
  },
  {
    name: "skills-here",
    about: "skills at the top of the folder",
    files: {
      ".claude-plugin/plugin.json": manifest("skills-here", { skills: "./" }),
      "alpha/SKILL.md": skill("alpha"),
      "beta/SKILL.md": skill("beta"),
    },
    becomes: { skills: ["alpha", "beta"] },
  },
  {
    name: "deep-commands",
    about: "commands in folders",
    files: {
      ".claude-plugin/plugin.json": manifest("deep-commands"),
      "commands/git/log.md": command("Show the log"),
      "commands/top.md": command("Top"),
    },
    becomes: { commands: ["git:log", "top"] },
  },
  {
    name: "byte-order",
    about: "a byte order mark, and fields that are not what they should be",
    files: {
      ".claude-plugin/plugin.json": `\ufeff${JSON.stringify(manifest("byte-order", { author: "Ada", repository: { type: "git", url: "https://example.com" }, keywords: "one,two" }))}`,
      "commands/go.md": command("Go"),
    },
    becomes: { commands: ["go"] },
  },
  {
    name: "wants-more",
    about: "asks for much that nobody follows here",
    files: {
      ".claude-plugin/plugin.json": manifest("wants-more", {
        userConfig: { token: { type: "string" } },
        channels: [],
        experimental: {},
      }),
      "workflows/deploy.js": "export default () => {}",
      "monitors/monitors.json": {},
      "bin/tool": "#!/bin/sh\necho tool",
      "skills/more/SKILL.md": skill("more"),
    },
    becomes: {
      skills: ["more"],
      unsupported: ["userConfig", "channels", "experimental", "workflows/", "monitors/", "bin/"],
    },
  },
  {
    name: "linked",
    about: "links that stay within what was fetched with it",
    files: { ".claude-plugin/plugin.json": manifest("linked"), "README.md": "# Linked" },
    links: { "CLAUDE.md": "README.md", skills: "../../shared/skills" },
    becomes: { skills: ["letters", "sheet", "slides"] },
  },
  {
    name: "needs-other",
    about: "needs another plugin of its marketplace",
    files: {
      ".claude-plugin/plugin.json": manifest("needs-other", {
        dependencies: ["one-skill", { name: "styles", version: "^1.0.0" }],
      }),
      "commands/use.md": command("Use it"),
    },
    becomes: { commands: ["use"] },
  },
  {
    name: "copilot-shape",
    about: "the manifest where another program looks for it",
    files: {
      ".github/plugin/plugin.json": manifest("copilot-shape", { skills: "skills/" }),
      "skills/pilot/SKILL.md": skill("pilot"),
      "agents/helper.agent.md": agent("helper"),
    },
    becomes: { skills: ["pilot"], agents: ["helper"] },
  },
  {
    name: "root-manifest",
    about: "plugin.json at the top, without a schema",
    files: {
      "plugin.json": manifest("root-manifest", { skills: ["./skills"] }),
      "skills/rooted/SKILL.md": skill("rooted"),
      "commands/here.md": command("Here"),
    },
    becomes: { commands: ["here"], skills: ["rooted"] },
  },
  {
    name: "Acme.Tools_2",
    about: "capitals, dots and underscores in the name",
    files: { ".claude-plugin/plugin.json": manifest("Acme.Tools_2"), "skills/name/SKILL.md": skill("name") },
    becomes: { skills: ["name"] },
  },
  {
    name: "all-of-it",
    about: "one of everything, and an agent with a hook of its own",
    files: {
      ".claude-plugin/plugin.json": manifest("all-of-it"),
      "commands/go.md": command("Go"),
      "skills/know/SKILL.md": skill("know"),
      "agents/do.md": `---\nname: do\ndescription: Does\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: "true"\n---\nYou do.`,
      "hooks/hooks.json": { hooks: fires() },
      ".mcp.json": { mcpServers: { desk: runs(own) } },
      "server.ts": server,
    },
    becomes: {
      commands: ["go"],
      skills: ["know"],
      agents: ["do"],
      servers: ["desk"],
      runs: ["hook", "server", "agent"],
      fires: true,
    },
  },
]

export const portableShapes: readonly PluginShape[] = [
  {
    name: "p-minimal",
    about: "a manifest and a skill",
    files: { "plugin.json": portable("p-minimal"), "skills/sum/SKILL.md": skill("sum") },
    becomes: { skills: ["sum"] },
  },
  {
    name: "p-server",
    about: "a program of its own, beside one skill",
    files: {
      "plugin.json": portable("p-server", { version: "0.1.0", author: { name: "Ada" } }),
      "mcp.json": mcp({
        desk: {
          type: "stdio",
          command: "./bin/serve",
          args: ["${PLUGIN_ROOT}/server.ts", "${HOME}"],
          env: { KEPT: "${PLUGIN_DATA}" },
        },
      }),
      "bin/serve": `#!/bin/sh\ntest -d "$PLUGIN_DATA" && test "$2" = '\${HOME}' && test "$KEPT" = "$PLUGIN_DATA" && exec ${process.execPath} "$1"`,
      "server.ts": server,
      "skills/serve/SKILL.md": skill("serve"),
    },
    becomes: { skills: ["serve"], servers: ["desk"], runs: ["server"] },
  },
  {
    name: "p-folder",
    about: "without a folder to work in, a server works in the plugin's",
    files: {
      "plugin.json": portable("p-folder"),
      "mcp.json": mcp({ desk: { type: "stdio", command: "sh", args: ["serve.sh"] } }),
      "serve.sh": `exec ${process.execPath} server.ts`,
      "server.ts": server,
    },
    becomes: { servers: ["desk"], runs: ["server"] },
  },
  {
    name: "p-recovers",
    about: "wrong servers are left out, right ones stay",
    files: {
      "plugin.json": portable("p-recovers"),
      "mcp.json": mcp({
        good: { type: "stdio", command: "./bin/serve" },
        empty: { type: "stdio" },
        escapes: { type: "stdio", command: "../serve" },
        away: { type: "stdio", command: "node", cwd: "./.." },
        unknown: { type: "stdio", command: "node", color: "red" },
        steals: { type: "stdio", command: "node", env: { PLUGIN_ROOT: "/" } },
        plain: { type: "streamable-http", url: "http://example.com/mcp" },
        fragment: { type: "streamable-http", url: "https://example.com/mcp#x" },
      }),
      "bin/serve": `#!/bin/sh\nexec ${process.execPath} "$PLUGIN_ROOT/server.ts"`,
      "server.ts": server,
    },
    becomes: {
      servers: ["good"],
      runs: ["server"],
      problems: ["empty", "escapes", "away", "unknown", "steals", "plain", "fragment"],
    },
  },
  {
    name: "p-broken-servers",
    about: "a wrong mcp.json takes no skill with it",
    files: {
      "plugin.json": portable("p-broken-servers"),
      "mcp.json": { mcpServers: {} },
      "skills/stays/SKILL.md": skill("stays"),
    },
    becomes: { skills: ["stays"], problems: ["$schema is not that of Agent Plugins 1.0.0"] },
  },
  {
    name: "p-unknown",
    about: "fields that do not belong there are reported and ignored",
    files: {
      "plugin.json": portable("p-unknown", { skills: "./other", commands: ["./x.md"] }),
      "skills/known/SKILL.md": skill("known"),
      "commands/not.md": command("Not read"),
    },
    becomes: { skills: ["known"], problems: ["skills in plugin.json", "commands in plugin.json"] },
  },
  {
    name: "p-clients",
    about: "folders of other programs",
    files: {
      "plugin.json": portable("p-clients", { extensions: { "com.github.copilot": {} } }),
      "com.github.copilot/hooks/hooks.json": { hooks: fires() },
      "skills/mine/SKILL.md": skill("mine"),
    },
    becomes: { skills: ["mine"], unsupported: ["com.github.copilot/, which is for another program"] },
  },
  {
    name: "p-nested",
    about: "a skill inside a skill is a file of it",
    files: {
      "plugin.json": portable("p-nested"),
      "skills/outer/SKILL.md": skill("outer"),
      "skills/outer/references/inner/SKILL.md": skill("inner"),
      "skills/empty/README.md": "No skill.",
    },
    becomes: { skills: ["outer"] },
  },
  {
    name: "p.next",
    about: "version 1.1.0, and dots in the name",
    files: {
      "plugin.json": { $schema: schema("plugin", "1.1.0"), name: "p.next" },
      "mcp.json": mcp({}, "1.1.0"),
      "skills/new/SKILL.md": skill("new"),
    },
    becomes: { skills: ["new"] },
  },
]

export const shapes: readonly PluginShape[] = [...claudeShapes, ...portableShapes]

/** What several entries of the marketplace share. */
export const sharedFiles: { readonly [path: string]: string } = {
  "shared/skills/sheet/SKILL.md": skill("sheet"),
  "shared/skills/slides/SKILL.md": skill("slides"),
  "shared/skills/letters/SKILL.md": skill("letters"),
}
