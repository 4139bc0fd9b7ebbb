/** Programs that start other programs: the one table of them, and what can be read of what they start. */

import { posix } from "node:path"
import { lazily } from "#lib/lazily.ts"
import { type Argument, exactTexts } from "./argument.ts"

/** How a program starts another one. */
interface Launcher {
  /** It runs the command that follows in its words. */
  readonly runsWords?: true
  /** Its words, joined, are a script; for `afterHost` without the first. */
  readonly runsText?: "whole" | "afterHost"
  /** It runs what it reads, or what another machine or a later time makes of it. */
  readonly runsUnseen?: true
  /** It is an interpreter: it runs a file, its input, or the text after a flag. */
  readonly interprets?: true
  /** The text after its `-c` is a shell script. */
  readonly runsShellText?: true
}

const runner: Launcher = { runsWords: true }
const feeder: Launcher = { runsWords: true, runsUnseen: true }
const interpreter: Launcher = { interprets: true }
const shell: Launcher = { interprets: true, runsShellText: true }
/** It always takes its words as a program in its own language. */
const evaluator: Launcher = { runsUnseen: true }

const named = (known: Launcher, names: string): readonly (readonly [string, Launcher])[] =>
  names.split(" ").map((name) => [name, known])

const launchers = lazily(
  (): ReadonlyMap<string, Launcher> =>
    new Map([
      ...named(
        runner,
        "builtin busybox caffeinate chroot chrt command doas env exec firejail flock gdb ionice ltrace nice noglob nohup npx nsenter numactl perf pkexec proxychains runuser setarch setpriv setsid stdbuf strace sudo systemd-run taskset time timeout toybox unbuffer unshare valgrind xvfb-run",
      ),
      ...named(feeder, "parallel script xargs"),
      ...named({ runsWords: true, runsUnseen: true, runsText: "whole" }, "watch"),
      ...named({ runsWords: true, runsUnseen: true, runsShellText: true }, "su"),
      ...named({ runsUnseen: true, runsText: "afterHost" }, "ssh"),
      ...named({ runsUnseen: true, runsText: "whole" }, "at batch eval trap"),
      ...named(evaluator, ". awk gawk mawk nawk osascript source"),
      ...named(shell, "ash bash dash fish ksh rbash sh zsh"),
      ...named(interpreter, "bun csh deno lua node perl php python ruby tclsh tcsh"),
    ]),
)

/** Without its folder. */
export const programName = (word: string): string => posix.basename(word)

/** python3.12, php8 and the like are the interpreters they are named after. */
function launcher(word: string): Launcher | undefined {
  const name = programName(word)
  const found = launchers().get(name)
  if (found) return found
  const family = launchers().get(name.replace(/[\d.]+$/, ""))
  return family?.interprets ? family : undefined
}

export function isLauncher(word: string): boolean {
  const known = launcher(word)
  return known?.runsWords === true || known?.runsText !== undefined
}

/** Whether a program may do what its words do not name. */
export function isOpaque(word: string): boolean {
  const known = launcher(word)
  return known?.runsUnseen === true || known?.interprets === true
}

/** Whether the words start something that a prefix rule on the outer name does not cover. */
export function runsAnother(words: readonly string[]): boolean {
  const name = programName(words[0] ?? "")
  const known = launcher(name)
  if (known?.runsWords || known?.runsUnseen) return true
  if (name === "find") return words.some((word) => /^-(?:exec|ok|delete|fprint|fls)/.test(word))
  if (!known?.interprets) return false
  if (runsWhatItIsFed(words.slice(1))) return true
  return words
    .slice(1)
    .some((word) => /^[-+][A-Za-z0-9]*[ceEprR]|^--?(?:eval|exec|print|command|init-command)\b/.test(word))
}

/** Without a file an interpreter runs what comes through the pipe, unless a flag gives it something else to do. */
function runsWhatItIsFed(words: readonly string[]): boolean {
  const file = words.find((word) => word === "-" || !/^[-+]/.test(word))
  if (file !== undefined) return file === "-" || /^\/(?:dev\/(?:stdin|fd)|proc\/self\/fd)(?:\/|$)/.test(file)
  return !words.some((word) => /^(?:-v|-V|-h|--version|--help|--test)$/.test(word))
}

/** A command behind another: as words, or as a script of its own. */
export type Hidden =
  { readonly kind: "words"; readonly args: readonly Argument[] } | { readonly kind: "script"; readonly text: string }

/** What a command would start, as far as it can be read, so that deny rules can look behind it. */
export function hiddenBehind(args: readonly Argument[]): readonly Hidden[] {
  const [program, ...rest] = args
  const known = program?.kind === "exact" ? launcher(program.text) : undefined
  if (!known) return []
  const found: Hidden[] = []
  if (known.runsWords) found.push(...tails(rest))
  if (known.runsShellText) found.push(...scripts(rest))
  if (known.runsText) {
    const words = exactTexts(known.runsText === "afterHost" ? rest.slice(1) : rest)
    if (words && words.length > 0) found.push({ kind: "script", text: words.join(" ") })
  }
  return found
}

const mostTails = 12

/** Flags may take values, and it is unknown which: each word could be the command. */
function tails(rest: readonly Argument[]): readonly Hidden[] {
  return rest
    .slice(0, mostTails)
    .flatMap(({ text }, i) => (/^[-+]|=|^$/.test(text) ? [] : [{ kind: "words" as const, args: rest.slice(i) }]))
}

/** `bash -c 'text'`, also with other flags before it or bundled with it. */
function scripts(rest: readonly Argument[]): readonly Hidden[] {
  return rest.flatMap(({ kind, text }, i) => {
    const next = rest[i + 1]
    return kind === "exact" && /^-[A-Za-z]*c[A-Za-z]*$/.test(text) && next?.kind === "exact"
      ? [{ kind: "script" as const, text: next.text }]
      : []
  })
}
