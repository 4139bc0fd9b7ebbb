/** Programs that run other programs, so that a rule about their own name says nothing about what will happen. */

import { posix } from "node:path"

/** They run the command that follows in their words. */
const wrappers: readonly string[] = [
  "builtin",
  "busybox",
  "chroot",
  "command",
  "doas",
  "env",
  "exec",
  "flock",
  "ionice",
  "ltrace",
  "nice",
  "nohup",
  "nsenter",
  "pkexec",
  "runuser",
  "setsid",
  "stdbuf",
  "strace",
  "sudo",
  "systemd-run",
  "time",
  "timeout",
  "unshare",
]

/** They run what they read, or what another machine or a later time makes of it. */
const readers: readonly string[] = ["at", "batch", "parallel", "script", "ssh", "su", "trap", "watch", "xargs"]

/** They take their words for a program text, always. */
const evaluators: readonly string[] = [".", "awk", "eval", "gawk", "mawk", "nawk", "osascript", "source"]

/** They run a text only when a flag says so; without one they run a file or read their input. */
const interpreters: readonly string[] = [
  "ash",
  "bash",
  "bun",
  "csh",
  "dash",
  "deno",
  "fish",
  "ksh",
  "lua",
  "node",
  "perl",
  "php",
  "python",
  "ruby",
  "sh",
  "tclsh",
  "tcsh",
  "zsh",
]

/** Whether the words start something that a prefix rule on the outer name was not given for. */
export function runsAnother(words: readonly string[]): boolean {
  const name = programName(words[0] ?? "")
  if (isWrapper(name) || evaluators.includes(name)) return true
  if (name === "find") return words.some((word) => /^-(?:exec|ok|delete|fprint|fls)/.test(word))
  if (!isInterpreter(name)) return false
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

/** Whether a program takes another command in its words. */
export function isWrapper(word: string): boolean {
  const name = programName(word)
  return wrappers.includes(name) || readers.includes(name)
}

/** Whether a program may do what its words do not name. */
export function isOpaque(word: string): boolean {
  const name = programName(word)
  return readers.includes(name) || evaluators.includes(name) || isInterpreter(name)
}

/** The name of a program without the folder it lies in. */
export const programName = (word: string): string => posix.basename(word)

function isInterpreter(name: string): boolean {
  // python3.12, php8 and the like are the same programs.
  return interpreters.includes(name.replace(/[\d.]+$/, ""))
}
