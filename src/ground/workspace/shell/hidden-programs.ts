/**
 * Programs that a command line runs without naming them as commands: texts behind `-c`, in here-documents and pipes, and what
 * is downloaded and run in the same line. For warning and for deny rules, never to allow.
 */

import { type Command, forEachChild, type ParsedScript, type Redirection, type SyntaxNode, type Word } from "unbash"
import { posix } from "node:path"
import { type Fetch, fetchOf } from "./fetching.ts"
import { isLauncher } from "./launchers.ts"
import { type Language, type Run, runOf } from "./interpreters.ts"

export interface HiddenProgram {
  /** The command that would run it, as written. */
  readonly by: string
  readonly texts: readonly { readonly language: Language; readonly text: string }[]
  /** Whether it comes from the network, and from which host; empty when nobody knows which. */
  readonly from?: string
}

/** What reaches a command: texts that are known, and hosts that it comes from. */
interface Flowing {
  readonly texts: readonly string[]
  readonly hosts: readonly string[]
}

const nothing: Flowing = { texts: [], hosts: [] }

/** They start the words behind them in a container. */
const containers: ReadonlySet<string> = new Set(["docker", "kubectl", "podman"])

const startsWords = (word: string): boolean => isLauncher(word) || containers.has(posix.basename(word))

/** They hand what they are fed to the command as words. */
const feeders: ReadonlySet<string> = new Set(["parallel", "xargs"])
const evaluators: ReadonlySet<string> = new Set(["eval", "trap"])
const sourcing: ReadonlySet<string> = new Set([".", "source"])
const installers: ReadonlySet<string> = new Set(["dpkg", "installer", "rpm"])
const mostTails = 12

/** Whether it is worth looking: most commands run and fetch nothing of the kind. */
const suspicious =
  /<<|\beval\b|\bsource\b|(?:^|[;&|\s])\.\s|\b(?:curl|wget|fetch|aria2c|axel|lynx|lwp-download|xh|https?|ssh|trap)\b|\b(?:\w*sh|python|pypy|node|nodejs|perl|ruby|irb|php|lua|deno|bun|psql|mysql|mariadb|sqlite3|mongo|duckdb|at|batch|xargs)[\d.]*(?:\s|$|['")])/

export function hiddenPrograms(tree: ParsedScript, source: string): readonly HiddenProgram[] {
  if (!suspicious.test(source)) return []
  const found: HiddenProgram[] = []
  /** Variables and files that hold what was fetched. */
  const variables = new Map<string, readonly string[]>()
  const files = new Map<string, readonly string[]>()

  /** Hosts that something below a node fetches from, or that a variable in it was fetched from. */
  function hostsIn(node: SyntaxNode): readonly string[] {
    const hosts: string[] = []
    const look = (each: SyntaxNode): void => {
      if (each.type === "Command") hosts.push(...some(fetchBehind(wordsOf(each))?.host))
      if (each.type === "SimpleExpansion") hosts.push(...(variables.get(each.text.slice(1)) ?? []))
      if (each.type === "ParameterExpansion") hosts.push(...(variables.get(each.parameter) ?? []))
      forEachChild(each, look)
    }
    look(node)
    return hosts
  }

  function visit(node: SyntaxNode, fed: Flowing): void {
    switch (node.type) {
      case "Pipeline": {
        let coming = fed
        for (const stage of node.commands) {
          visit(stage, coming)
          coming = { texts: printedBy(stage, coming), hosts: [...coming.hosts, ...hostsIn(stage)] }
        }
        return
      }
      case "Redirected":
        for (const each of node.redirects) visit(each, nothing)
        return visit(node.command, fedBy(node.redirects) ?? fed)
      case "Command":
        forEachChild(node, (child) => visit(child, nothing))
        return take(node, fedBy(node.redirects) ?? fed)
      case "Assignment": {
        const hosts = hostsIn(node)
        if (hosts.length > 0) variables.set(node.name, hosts)
        return forEachChild(node, (child) => visit(child, nothing))
      }
      default:
        return forEachChild(node, (child) => visit(child, fed))
    }
  }

  /** What redirections feed; undefined when they leave that as it is. */
  function fedBy(redirects: readonly Redirection[]): Flowing | undefined {
    let last: Flowing | undefined
    for (const each of redirects) {
      if (each.type === "HereDoc") last = { texts: [each.body.text], hosts: hostsIn(each) }
      if (each.type === "HereString") last = { texts: some(each.target?.value), hosts: hostsIn(each) }
      if (each.type === "Redirect" && each.operator === "<" && each.target)
        last = { texts: [], hosts: [...hostsIn(each.target), ...hostsOfFile(each.target.value)] }
    }
    return last
  }

  const hostsOfFile = (path: string): readonly string[] => files.get(tidied(path)) ?? []

  function take(command: Command, fed: Flowing): void {
    const words = wordsOf(command)
    const nodes: readonly (Word | undefined)[] = [
      command.name,
      ...command.args.map((each) => (each.type === "Word" ? each : undefined)),
    ]
    const texts: { language: Language; text: string }[] = []
    const hosts: string[] = []
    const isLauncher = startsWords(words[0] ?? "")
    const isFeeder = feeders.has(posix.basename(words[0] ?? ""))
    // Flags may take values, and nobody knows which: each word could be the command.
    for (let at = 0; at < (isLauncher ? Math.min(words.length, mostTails) : 1); at++) {
      const tail = words.slice(at)
      const own = nodes.slice(at)
      if (/^[-+]/.test(tail[0] ?? "")) continue
      hosts.push(...namedHosts(tail, own))
      const run = runOf(tail)
      if (run) takeRun(run, tail, own, isFeeder || run.readsInput ? fed : nothing)
    }
    if (evaluators.has(words[0] ?? "")) {
      texts.push({ language: "shell", text: words.slice(1).join(" ") })
      for (const node of nodes.slice(1)) if (node) hosts.push(...hostsIn(node))
    }
    if (posix.basename(words[0] ?? "") === "ssh") takeRemote(words)
    keepFiles(command, words, fed)
    const from = hosts.find((host) => host !== "") ?? hosts[0]
    if (texts.length > 0 || from !== undefined)
      found.push({ by: source.slice(command.pos, command.end), texts, ...(from !== undefined && { from }) })

    function takeRun(
      { language, texts: own, file }: Run,
      tail: readonly string[],
      around: typeof nodes,
      input: Flowing,
    ): void {
      for (const { at, from } of own) {
        const node = around[at]
        texts.push({ language, text: (tail[at] ?? "").slice(from) })
        if (node) hosts.push(...hostsIn(node))
      }
      if (language !== "sql") hosts.push(...input.hosts)
      texts.push(...input.texts.map((text) => ({ language, text })))
      const script = file === undefined ? undefined : around[file]
      if (script) hosts.push(...hostsIn(script), ...hostsOfFile(script.value))
    }

    /** The words behind the host are a command there, and so is what ssh is fed. */
    function takeRemote([, ...rest]: readonly string[]): void {
      const scripts = rest.flatMap((word, i) => (i === 0 || word.startsWith("-") ? [] : [rest.slice(i).join(" ")]))
      for (const text of [...scripts.slice(0, mostTails), ...fed.texts]) texts.push({ language: "shell", text })
      hosts.push(...fed.hosts)
    }
  }

  /** What is run by its own name: printed by a command, read from a file, or fetched before. */
  function namedHosts(
    [name = "", ...rest]: readonly string[],
    [node, ...nodes]: readonly (Word | undefined)[],
  ): readonly string[] {
    const program = posix.basename(name)
    if (sourcing.has(program))
      return nodes.slice(0, 1).flatMap((each) => (each ? [...hostsIn(each), ...hostsOfFile(each.value)] : []))
    if (installers.has(program)) return rest.flatMap(hostsOfFile)
    return [...(node ? hostsIn(node) : []), ...hostsOfFile(name)]
  }

  /** Which files hold from now on what was fetched. */
  function keepFiles(command: Command, words: readonly string[], fed: Flowing): void {
    const fetch = fetchBehind(words)
    const hosts = [...fed.hosts, ...some(fetch?.host)]
    const name = posix.basename(words[0] ?? "")
    const keep = (file: string, from: readonly string[]): void => void files.set(tidied(file), from)
    for (const file of fetch?.files ?? []) keep(file, hosts)
    if (hosts.length > 0)
      for (const each of command.redirects)
        if (each.type === "Redirect" && each.operator.startsWith(">") && each.target) keep(each.target.value, hosts)
    if (hosts.length > 0 && name === "tee")
      for (const file of words.slice(1)) if (!file.startsWith("-")) keep(file, hosts)
    const operands = words.slice(1).filter((word) => !word.startsWith("-"))
    const moved = /^(?:mv|cp|install|ln)$/.test(name) ? operands.flatMap(hostsOfFile) : []
    if (moved.length > 0) keep(operands.at(-1) ?? "", moved)
  }

  visit(tree, nothing)
  return found
}

const wordsOf = ({ name, args }: Command): readonly string[] =>
  name ? [name.value, ...args.map((each) => (each.type === "Word" ? each.value : each.text))] : []

/** A fetch as it stands, or behind a launcher. */
function fetchBehind(words: readonly string[]): Fetch | undefined {
  if (!startsWords(words[0] ?? "")) return fetchOf(words)
  for (let at = 0; at < Math.min(words.length, mostTails); at++) {
    const found = fetchOf(words.slice(at))
    if (found) return found
  }
  return undefined
}

/** The text that a stage of a pipeline prints, where that is plain to see. */
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

const tidied = (path: string): string => posix.normalize(path).replace(/^\.\//, "")

const some = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text])
