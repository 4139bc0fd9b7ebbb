/** What a command line has downloaded so far: the hosts behind its variables, files and substitutions. */

import { type Command, forEachChild, type Redirection, type SyntaxNode } from "unbash"
import { posix } from "node:path"
import { type Fetch, fetchOf } from "./fetching.ts"
import { isLauncher, startOf } from "./launchers.ts"

/** The input of a command: known texts, and the hosts it comes from. */
export interface Flowing {
  readonly texts: readonly string[]
  readonly hosts: readonly string[]
}

export interface Fetched {
  /** Hosts that something below a node downloads from, or that a variable in it was downloaded from. */
  readonly hostsIn: (node: SyntaxNode) => readonly string[]
  readonly hostsOfFile: (path: string) => readonly string[]
  /** The input from redirections; undefined when they leave it as it is. */
  readonly fedBy: (redirects: readonly Redirection[]) => Flowing | undefined
  readonly setVariable: (name: string, value: SyntaxNode) => void
  /** Records files that now contain what was downloaded. */
  readonly keepFiles: (command: Command, fed: Flowing) => void
}

export function openFetched(): Fetched {
  const variables = new Map<string, readonly string[]>()
  const files = new Map<string, readonly string[]>()
  const hostsOfFile = (path: string): readonly string[] => files.get(tidied(path)) ?? []
  const keep = (file: string, hosts: readonly string[]): void => void files.set(tidied(file), hosts)

  function hostsIn(node: SyntaxNode): readonly string[] {
    const hosts: string[] = []
    const visit = (each: SyntaxNode): void => {
      if (each.type === "Command") hosts.push(...some(fetchBehind(wordsOf(each))?.host))
      if (each.type === "SimpleExpansion") hosts.push(...(variables.get(each.text.slice(1)) ?? []))
      if (each.type === "ParameterExpansion") hosts.push(...(variables.get(each.parameter) ?? []))
      forEachChild(each, visit)
    }
    visit(node)
    return hosts
  }

  return {
    hostsIn,
    hostsOfFile,
    fedBy(redirects) {
      let last: Flowing | undefined
      for (const each of redirects) {
        if (each.type === "HereDoc") last = { texts: [each.body.text], hosts: hostsIn(each) }
        if (each.type === "HereString") last = { texts: some(each.target?.value), hosts: hostsIn(each) }
        if (each.type === "Redirect" && each.operator === "<" && each.target)
          last = { texts: [], hosts: [...hostsIn(each.target), ...hostsOfFile(each.target.value)] }
      }
      return last
    },
    setVariable(name, value) {
      const hosts = hostsIn(value)
      if (hosts.length > 0) variables.set(name, hosts)
    },
    keepFiles(command, fed) {
      const words = wordsOf(command)
      const fetched = fetchBehind(words)
      const hosts = [...fed.hosts, ...some(fetched?.host)]
      const name = posix.basename(words[0] ?? "")
      const operands = words.slice(1).filter((word) => !word.startsWith("-"))
      for (const file of fetched?.files ?? []) keep(file, hosts)
      if (hosts.length > 0)
        for (const each of command.redirects)
          if (each.type === "Redirect" && each.operator.startsWith(">") && each.target) keep(each.target.value, hosts)
      if (hosts.length > 0 && name === "tee") for (const file of operands) keep(file, hosts)
      const moved = /^(?:mv|cp|install|ln)$/.test(name) ? operands.flatMap(hostsOfFile) : []
      if (moved.length > 0) keep(operands.at(-1) ?? "", moved)
    },
  }
}

export const wordsOf = ({ name, args }: Command): readonly string[] =>
  name ? [name.value, ...args.map((each) => (each.type === "Word" ? each.value : each.text))] : []

const mostTails = 12

/** Where the started command may begin: flags of a launcher may take values, and it is unknown which. */
export function startsIn(words: readonly string[]): readonly number[] {
  if (!isLauncher(words[0] ?? "") && !startOf(words)) return [0]
  return words.slice(0, mostTails).flatMap((word, i) => (/^[-+]/.test(word) ? [] : [i]))
}

/** A download, directly or behind a launcher. */
function fetchBehind(words: readonly string[]): Fetch | undefined {
  for (const at of startsIn(words)) {
    const found = fetchOf(words.slice(at))
    if (found) return found
  }
  return undefined
}

const tidied = (path: string): string => posix.normalize(path).replace(/^\.\//, "")

const some = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text])
