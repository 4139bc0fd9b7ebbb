/**
 * Programs that a command line runs without naming them as commands: text after `-c`, in here-documents and pipes, and
 * what is downloaded and run in the same line. For warnings and deny rules, never to allow.
 */

import { type Command, forEachChild, type ParsedScript, type SyntaxNode, type Word } from "unbash"
import { posix } from "node:path"
import { type Fetched, type Flowing, openFetched, startsIn, wordsOf } from "./programs/fetched.ts"
import { type Language, type InterpreterRun, runOf } from "./programs/interpreters.ts"

export interface HiddenProgram {
  /** The command that would run it, as written. */
  readonly by: string
  readonly texts: readonly Text[]
  /** Every text that reaches its input, whether it runs that or not. */
  readonly fed: readonly string[]
  /** Set if it is downloaded: the host, or empty when that is unknown. */
  readonly from?: string
}

interface Text {
  readonly language: Language
  readonly text: string
}

const nothing: Flowing = { texts: [], hosts: [] }

/** They pass their input to the command as words. */
const feeders: ReadonlySet<string> = new Set(["parallel", "xargs"])
const evaluators: ReadonlySet<string> = new Set(["eval", "trap"])
const sourcing: ReadonlySet<string> = new Set([".", "source"])
const installers: ReadonlySet<string> = new Set(["dpkg", "installer", "rpm"])

/** Without the digits at their end, as in `python3`. Any shell tells, too. */
const telling: ReadonlySet<string> = new Set(
  (
    "eval source trap curl wget fetch aria2c axel lynx lwp xh http https ssh at batch xargs " +
    "python pypy node nodejs perl ruby irb php lua deno bun psql mysql mariadb sqlite mongo duckdb"
  ).split(" "),
)

/**
 * Whether it is worth checking: most commands run and download nothing of the kind. One pattern with all names would
 * take as long to compile as the rest of the first analysis.
 */
export function isSuspicious(source: string): boolean {
  return source.includes("<<") || /(?:^|[;&|\s])\.\s/.test(source) || source.split(/\W+/).some(tells)
}

function tells(word: string): boolean {
  const name = word.replace(/\d+$/, "")
  return telling.has(name) || name.endsWith("sh")
}

/** Commands whose output is written in the line. */
const printsText = /\b(?:echo|printf)\b/

export function hiddenPrograms(tree: ParsedScript, source: string): readonly HiddenProgram[] {
  if (!isSuspicious(source) && !(source.includes("|") && printsText.test(source))) return []
  const found: HiddenProgram[] = []
  const fetched = openFetched()

  function visit(node: SyntaxNode, fed: Flowing): void {
    switch (node.type) {
      case "Pipeline": {
        let coming = fed
        for (const stage of node.commands) {
          visit(stage, coming)
          coming = { texts: printedBy(stage, coming), hosts: [...coming.hosts, ...fetched.hostsIn(stage)] }
        }
        return
      }
      case "Redirected":
        for (const each of node.redirects) visit(each, nothing)
        return visit(node.command, fetched.fedBy(node.redirects) ?? fed)
      case "Command": {
        forEachChild(node, (child) => visit(child, nothing))
        const coming = fetched.fedBy(node.redirects) ?? fed
        const { texts, hosts } = runBy(node, coming, fetched)
        fetched.keepFiles(node, coming)
        const from = hosts.find((host) => host !== "") ?? hosts[0]
        if (texts.length > 0 || from !== undefined || coming.texts.length > 0)
          found.push({
            by: source.slice(node.pos, node.end),
            texts,
            fed: coming.texts,
            ...(from !== undefined && { from }),
          })
        return
      }
      case "Assignment":
        fetched.setVariable(node.name, node)
        return forEachChild(node, (child) => visit(child, nothing))
      default:
        return forEachChild(node, (child) => visit(child, fed))
    }
  }

  visit(tree, nothing)
  return found
}

interface Runs {
  readonly texts: readonly Text[]
  readonly hosts: readonly string[]
}

function runBy(command: Command, fed: Flowing, fetched: Fetched): Runs {
  const words = wordsOf(command)
  const nodes: readonly (Word | undefined)[] = [
    command.name,
    ...command.args.map((each) => (each.type === "Word" ? each : undefined)),
  ]
  const name = posix.basename(words[0] ?? "")
  const all = startsIn(words).map((at): Runs => {
    const [tail, own] = [words.slice(at), nodes.slice(at)]
    const run = runOf(tail)
    const taken = run && takenBy(run, tail, own, feeders.has(name) || run.readsInput ? fed : nothing, fetched)
    return { texts: taken?.texts ?? [], hosts: [...namedHosts(tail, own, fetched), ...(taken?.hosts ?? [])] }
  })
  if (evaluators.has(name)) all.push(evaluated(words.slice(1), nodes.slice(1), fetched))
  if (name === "ssh") all.push(remote(words.slice(1), fed))
  return { texts: all.flatMap(({ texts }) => texts), hosts: all.flatMap(({ hosts }) => hosts) }
}

function takenBy(
  { language, texts, file }: InterpreterRun,
  words: readonly string[],
  nodes: readonly (Word | undefined)[],
  fed: Flowing,
  { hostsIn, hostsOfFile }: Fetched,
): Runs {
  const script = file === undefined ? undefined : nodes[file]
  const own = texts.map(({ at, from }) => ({ language, text: (words[at] ?? "").slice(from) }))
  return {
    texts: [...own, ...fed.texts.map((text) => ({ language, text }))],
    hosts: [
      ...texts.flatMap(({ at }) => within(nodes[at], hostsIn)),
      // What a database is told is no program.
      ...(language === "sql" ? [] : fed.hosts),
      ...within(script, (node) => [...hostsIn(node), ...hostsOfFile(node.value)]),
    ],
  }
}

const evaluated = (words: readonly string[], nodes: readonly (Word | undefined)[], { hostsIn }: Fetched): Runs => ({
  texts: [{ language: "shell", text: words.join(" ") }],
  hosts: nodes.flatMap((node) => within(node, hostsIn)),
})

/** The words after the host are a command there, and so is ssh's input. */
function remote(rest: readonly string[], fed: Flowing): Runs {
  const scripts = rest.flatMap((word, i) => (i === 0 || word.startsWith("-") ? [] : [rest.slice(i).join(" ")]))
  const texts = [...scripts.slice(0, 12), ...fed.texts]
  return { texts: texts.map((text) => ({ language: "shell", text })), hosts: fed.hosts }
}

/** What is run by its own name: printed by a command, read from a file, or downloaded before. */
function namedHosts(
  [name = "", ...rest]: readonly string[],
  [node, ...nodes]: readonly (Word | undefined)[],
  { hostsIn, hostsOfFile }: Fetched,
): readonly string[] {
  const program = posix.basename(name)
  if (sourcing.has(program)) return within(nodes[0], (each) => [...hostsIn(each), ...hostsOfFile(each.value)])
  if (installers.has(program)) return rest.flatMap(hostsOfFile)
  return [...within(node, hostsIn), ...hostsOfFile(name)]
}

const within = (node: Word | undefined, hostsOf: (node: Word) => readonly string[]): readonly string[] =>
  node ? hostsOf(node) : []

/** The text that a stage of a pipeline prints, where that is obvious. */
function printedBy(stage: SyntaxNode, coming: Flowing): readonly string[] {
  if (stage.type !== "Command") return []
  const [name = "", ...rest] = wordsOf(stage)
  const heredoc = stage.redirects.flatMap((each) =>
    each.type === "HereDoc" ? [each.body.text] : each.type === "HereString" ? some(each.target?.value) : [],
  )
  switch (posix.basename(name)) {
    case "echo":
      return [unescaped(rest.filter((word, i) => !(i === 0 && /^-[neE]+$/.test(word))).join(" "))]
    case "printf":
      return [unescaped(rest.slice(rest[0] === "--" ? 1 : 0).join("\n"))]
    case "cat":
    case "tee":
      return [...heredoc, ...coming.texts]
    case "base64":
      return rest.some((word) => /^(?:-d|-D|--decode)$/.test(word)) ? [...heredoc, ...coming.texts].map(decoded) : []
    default:
      return []
  }
}

const unescaped = (text: string): string => text.replace(/\\n/g, "\n").replace(/\\t/g, "\t")

const decoded = (text: string): string => Buffer.from(text, "base64").toString("utf8")

const some = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text])
