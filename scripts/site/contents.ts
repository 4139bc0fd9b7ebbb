/** Which pages the site offers, in the order in which somebody would read them. A guide that is in no group fails a test. */

export interface Group {
  readonly title: string
  /** Paths in the repository. */
  readonly pages: readonly string[]
}

const guides = (...names: readonly string[]): readonly string[] => names.map((name) => `docs/guides/${name}.md`)
const reference = (...names: readonly string[]): readonly string[] => names.map((name) => `docs/reference/${name}.md`)

export const homePage = "README.md"

export const groups: readonly Group[] = [
  { title: "Start", pages: guides("install", "first-hour", "daily-use", "screens", "models", "accounts") },
  {
    title: "Stay in control",
    pages: [...guides("permissions", "sandbox", "plans", "undo", "gates", "goals", "network"), "SECURITY.md"],
  },
  {
    title: "Automate",
    pages: guides(
      "scripts",
      "agent-sdk",
      "library",
      "sessions",
      "many-sessions",
      "workflows",
      "telemetry",
      "what-it-costs",
    ),
  },
  {
    title: "Extend",
    pages: guides(
      "extending",
      "hooks",
      "mcp-and-plugins",
      "plugins",
      "status-line",
      "editors",
      "language-servers",
      "acp",
    ),
  },
  { title: "Work together", pages: guides("agents", "teams", "web", "serve", "notifications", "operating") },
  {
    title: "Coming from",
    pages: guides(
      "coming-from-claude-code",
      "coming-from-codex",
      "coming-from-opencode",
      "coming-from-gemini-cli",
      "coming-from-aider",
    ),
  },
  {
    title: "Reference",
    pages: reference(
      "commands",
      "settings",
      "environment",
      "keys",
      "tools",
      "events",
      "model-errors",
      "telemetry",
      "faults",
    ),
  },
  { title: "Contribute", pages: ["CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/GLOSSARY.md", "CHANGELOG.md"] },
]
