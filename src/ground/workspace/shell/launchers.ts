/** Programs that start others: what they would start, as far as it can be read, so that deny rules can look behind them. */

import { type Argument, exactTexts } from "./argument.ts"

/** A command behind another: as words, or as a script of its own. */
export type Hidden =
  { readonly kind: "words"; readonly args: readonly Argument[] } | { readonly kind: "script"; readonly text: string }

/** They run the command that follows in their words. */
const runners: ReadonlySet<string> = new Set([
  "builtin",
  "busybox",
  "caffeinate",
  "chroot",
  "chrt",
  "command",
  "doas",
  "env",
  "exec",
  "firejail",
  "flock",
  "gdb",
  "ionice",
  "ltrace",
  "nice",
  "noglob",
  "nohup",
  "npx",
  "nsenter",
  "numactl",
  "parallel",
  "perf",
  "pkexec",
  "proxychains",
  "runuser",
  "script",
  "setarch",
  "setpriv",
  "setsid",
  "stdbuf",
  "strace",
  "su",
  "sudo",
  "systemd-run",
  "taskset",
  "time",
  "timeout",
  "toybox",
  "unbuffer",
  "unshare",
  "valgrind",
  "watch",
  "xargs",
  "xvfb-run",
])

const shells: ReadonlySet<string> = new Set(["ash", "bash", "dash", "fish", "ksh", "rbash", "sh", "su", "zsh"])

const evaluators: ReadonlySet<string> = new Set(["eval", "trap", "watch", "ssh", "at", "batch"])

export function hiddenBehind(args: readonly Argument[]): readonly Hidden[] {
  const [program, ...rest] = args
  const name = program?.kind === "exact" ? program.text.slice(program.text.lastIndexOf("/") + 1) : ""
  const found: Hidden[] = []
  if (runners.has(name)) found.push(...tails(rest))
  if (shells.has(name)) found.push(...scripts(rest))
  if (evaluators.has(name)) {
    const words = exactTexts(name === "ssh" ? rest.slice(1) : rest)
    if (words && words.length > 0) found.push({ kind: "script", text: words.join(" ") })
  }
  return found
}

const mostTails = 12

/** Flags may take values, and nobody knows which: each word could be the command. */
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
