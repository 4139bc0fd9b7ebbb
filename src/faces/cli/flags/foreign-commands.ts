/**
 * Commands of Claude Code that this program does not have. Without an answer of their own, such words would go to the
 * model as a prompt.
 */

/** `verbs`: words that may follow its name. */
interface ForeignCommand {
  readonly names: readonly string[]
  readonly verbs?: readonly string[]
  /** An argument that the command takes instead of a verb. */
  readonly takes?: RegExp
  readonly answer: string
}

const session = /^[\da-f][\da-f-]{5,}$/i

const foreignCommands: readonly ForeignCommand[] = [
  { names: ["upgrade"], answer: "The command is codewright update." },
  {
    names: ["install"],
    verbs: ["stable", "latest"],
    takes: /^v?\d+(\.\d+)*$/,
    answer: "To install another version: codewright update --to <version>",
  },
  {
    names: ["migrate-installer"],
    answer: "There is only one way to install Codewright, so there is nothing to migrate.",
  },
  { names: ["plugins"], answer: "The command is codewright plugin." },
  {
    names: ["auth"],
    verbs: ["login", "logout", "status"],
    answer:
      "Use codewright login to save an API key, codewright logout to remove it, and codewright doctor to check it.",
  },
  {
    names: ["setup-token"],
    answer: "There are no subscription tokens. Save an API key with codewright login, or set ANTHROPIC_API_KEY.",
  },
  { names: ["kill"], takes: session, answer: "The command is codewright stop." },
  {
    names: ["respawn"],
    takes: session,
    answer: 'To continue a session in the background: codewright --bg --resume <session> "your prompt"',
  },
  {
    names: ["daemon"],
    verbs: ["start", "stop", "status", "restart"],
    answer: "Background sessions need none: their host starts and ends by itself. See codewright agents.",
  },
  { names: ["purge"], takes: session, answer: "Use codewright sessions delete <session>." },
  {
    names: ["import"],
    takes: /[/\\.]/,
    answer: "Sessions are not imported. Paste what matters into a new one, or name the file in a prompt: @path.",
  },
  {
    names: ["auto-mode"],
    verbs: ["defaults", "config", "critique"],
    answer: "Use codewright permissions to see and explain rules.",
  },
  { names: ["remote-control", "ultrareview", "teleport"], answer: "Codewright runs on this machine only." },
]

/** The answer to such a command, where its words could hardly be a prompt: alone, or followed by what the command takes. */
export function foreignCommand(argv: readonly string[]): string | undefined {
  const [first = "", ...rest] = argv
  if (rest.some((word) => word === "-p" || word === "--print" || word === "--")) return undefined
  const command = foreignCommands.find(({ names }) => names.includes(first))
  if (!command) return undefined
  const words = rest.filter((word) => !word.startsWith("-"))
  const second = words.at(0)
  const isVerb = second !== undefined && (command.verbs ?? []).includes(second)
  const isArgument = second !== undefined && words.length === 1 && command.takes?.test(second) === true
  if (second !== undefined && !isVerb && !isArgument) return undefined
  return `codewright ${first} does not exist. ${command.answer}`
}
