/** What leaves the machine by a part of a command. Only used to warn, never to allow. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { programName } from "#ground/workspace/shell/programs/launchers.ts"

/** What it sends, without a subject; undefined if nothing is known to leave. */
export function outgoingOf(segment: Segment): string | undefined {
  const own = segment.verdict === "read_only" ? undefined : sent(segment)
  if (own !== undefined) return own
  for (const inner of segment.behind) {
    const found = outgoingOf(inner)
    if (found !== undefined) return found
  }
  return undefined
}

function sent({ argv }: Segment): string | undefined {
  const [name = "", ...rest] = argv
  const program = programName(name)
  const words = rest.filter((word) => !word.startsWith("-"))
  const [verb = ""] = words
  if (program === "git") return pushed(rest)
  if (program === "git-push") return `pushes to ${verb === "" ? "its remote" : verb}${lasting}`
  if (hostPrograms.has(program)) return "may change something on the code host"
  if (publishing[program]?.test(verb) === true) return `publishes${lasting}`
  if ((program === "docker" || program === "podman") && rest.includes("push")) return `pushes an image${lasting}`
  if (copying.has(program)) return copied(words)
  if (program === "ssh" || program === "sftp") return `acts on ${verb === "" ? "another machine" : verb}`
  if (program === "curl" || program === "wget" || program === "http" || program === "xh")
    return rest.some((word, i) => isSending(word, rest[i + 1] ?? ""))
      ? `sends data to ${hostIn(words)}${lasting}`
      : undefined
  return remoteControls.has(program) ? "may change other machines" : undefined
}

/** Global options with a value of their own come before the subcommand. */
function pushed(rest: readonly string[]): string | undefined {
  const isValue = (at: number): boolean => /^(?:-C|-c|--git-dir|--work-tree|--namespace)$/.test(rest[at - 1] ?? "")
  const at = rest.findIndex((word, i) => !word.startsWith("-") && !isValue(i))
  if (rest[at] !== "push") return undefined
  return `pushes to ${rest.slice(at + 1).find((word) => !word.startsWith("-")) ?? "its remote"}${lasting}`
}

const lasting = "; cannot be undone"

const hostPrograms: ReadonlySet<string> = new Set(["gh", "glab", "hub"])
const copying: ReadonlySet<string> = new Set(["scp", "rsync", "rclone"])
const remoteControls: ReadonlySet<string> = new Set(
  "kubectl helm terraform aws gcloud az ansible ansible-playbook fly flyctl heroku vercel netlify wrangler".split(" "),
)

const publishing: { readonly [program: string]: RegExp | undefined } = {
  npm: /^(?:publish|unpublish|deprecate)$/,
  pnpm: /^publish$/,
  yarn: /^(?:publish|npm)$/,
  bun: /^publish$/,
  cargo: /^(?:publish|yank)$/,
  gem: /^(?:push|yank)$/,
  poetry: /^publish$/,
  twine: /^upload$/,
  uv: /^publish$/,
}

/** Only what has a host in front of a path goes to one, and only the last operand is where it goes. */
function copied(words: readonly string[]): string | undefined {
  const host = /^([^/:]+):/.exec(words.at(-1) ?? "")?.[1]
  return host === undefined ? undefined : `copies files to ${host}${lasting}`
}

function isSending(word: string, next: string): boolean {
  if (
    /^(?:-d|-F|-T)/.test(word) ||
    /^--(?:data|form|json|upload-file|post-data|post-file|body-data|body-file)/.test(word)
  )
    return true
  const method = /^-X(.+)$/.exec(word)?.[1] ?? /^--(?:request|method)=(.+)$/.exec(word)?.[1]
  const named = word === "-X" || word === "--request" || word === "--method" ? next : method
  return named !== undefined && !/^(?:GET|HEAD|OPTIONS)$/i.test(named)
}

function hostIn(words: readonly string[]): string {
  const address = words.find((word) => /^[a-z]+:\/\//i.test(word))
  return (address && URL.parse(address)?.host) || "another machine"
}
