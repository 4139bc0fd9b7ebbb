/**
 * Programs that start other programs: the one table of them, and what can be read of what they start. Wrappers are
 * stripped by it, deny rules look behind it, and no rule is suggested for what it would start.
 */

import { posix } from "node:path"
import { lazily } from "#lib/lazily.ts"
import { type Argument, exactTexts } from "#ground/workspace/shell/argument.ts"
import type { Flags } from "#ground/workspace/shell/sort-out.ts"

/** What may stand between a wrapper and its command, so that the command can be judged alone. */
export interface Stripping extends Pick<Flags, "flags" | "digits"> {
  /** What the words before the command must look like. */
  readonly takes?: readonly RegExp[]
  /** Whether the command still runs in the shell itself. */
  readonly inShell?: true
  /** The flag without which it runs no command. */
  readonly needs?: string
}

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
  /** It adds nothing of its own to the command. */
  readonly strips?: Stripping
  /** It starts what follows, and a rule for it by name is still what its author wrote. */
  readonly starts?: Starts
}

/**
 * `words`: the program that the next word names. `later`: one that is named further behind, or several. `fetched`: one
 * that is downloaded if it is not there. `elsewhere`: one in a container or on another machine. `project`: code of the
 * project.
 */
export type Starts = "words" | "later" | "fetched" | "elsewhere" | "project"

const runner: Launcher = { runsWords: true }
const feeder: Launcher = { runsWords: true, runsUnseen: true }
const interpreter: Launcher = { interprets: true }
const shell: Launcher = { interprets: true, runsShellText: true }
/** It always takes its words as a program in its own language. */
const evaluator: Launcher = { runsUnseen: true }

const wrapper = (strips: Stripping): Launcher => ({ runsWords: true, strips })

const duration = /^\d+(?:\.\d+)?[smhd]?$/

const named = (known: Launcher, names: string): readonly (readonly [string, Launcher])[] =>
  names.split(" ").map((name) => [name, known])

const launchers = lazily(
  (): ReadonlyMap<string, Launcher> =>
    new Map([
      ...named(wrapper({ inShell: true }), "builtin command"),
      ...named({ strips: { flags: "-x", inShell: true, needs: "-x" } }, "jobs"),
      ...named(wrapper({ flags: "-n:number --adjustment:number", digits: true }), "nice"),
      ...named(wrapper({}), "noglob nohup"),
      ...named(wrapper({ flags: "-i:word -o:word -e:word --input:word --output:word --error:word" }), "stdbuf"),
      ...named(wrapper({ flags: "-p" }), "time"),
      ...named(
        wrapper({
          flags: "-k:word -s:word -v --kill-after:word --signal:word --preserve-status --foreground --verbose",
          takes: [duration],
        }),
        "timeout",
      ),
      ...named(
        runner,
        "aa-exec bwrap busybox caffeinate capsh catchsegv cgexec choom chroot chrt dbus-launch dbus-run-session doas dumb-init eatmydata env exec fakechroot fakeroot faketime firejail flock gdb gosu i386 ionice linux32 linux64 ltrace npx nsenter numactl perf pkexec prlimit proot proxychains proxychains4 rlwrap runuser sem setarch setpriv setsid setuidgid softlimit ssh-agent strace su-exec sudo systemd-inhibit systemd-run taskset tini torify torsocks toybox unbuffer uname26 unshare valgrind x86_64 xvfb-run",
      ),
      ...named({ starts: "fetched" }, "bunx pnpx uvx"),
      ...named(
        { starts: "later" },
        "aws-vault chamber concurrently cross-env cross-env-shell dotenv dotenvx entr env-cmd envchain fzf hyperfine nodemon onchange reflex screen start-server-and-test tmux watchexec watchman-make with-env",
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

/** Subcommands that start a program, in one or two words. */
const subcommands: { readonly [program: string]: { readonly [how in Starts]?: string } } = {
  asdf: { words: "exec" },
  "aws-vault": { later: "exec" },
  bun: { fetched: "x", project: "run" },
  bundle: { words: "exec" },
  cargo: { project: "run r" },
  composer: { words: "exec" },
  conda: { words: "run" },
  deno: { project: "run task" },
  direnv: { later: "exec" },
  docker: { elsewhere: "run exec create container/run container/exec container/create compose/run compose/exec" },
  "docker-compose": { elsewhere: "run exec" },
  doppler: { later: "run" },
  dotnet: { project: "run", later: "exec" },
  flatpak: { elsewhere: "run" },
  fnm: { later: "exec" },
  gem: { fetched: "exec" },
  gh: { fetched: "extension/exec" },
  git: { later: "bisect/run submodule/foreach" },
  go: { fetched: "run" },
  hatch: { words: "run" },
  heroku: { elsewhere: "run" },
  infisical: { later: "run" },
  kubectl: { elsewhere: "exec run debug" },
  lxc: { elsewhere: "exec" },
  mamba: { words: "run" },
  micromamba: { words: "run" },
  mise: { later: "exec x" },
  multipass: { elsewhere: "exec" },
  mvn: { later: "exec:exec", project: "exec:java" },
  nix: { fetched: "run develop shell" },
  nodenv: { words: "exec" },
  npm: { fetched: "exec x", later: "explore" },
  nx: { later: "exec" },
  nvm: { later: "exec run" },
  op: { later: "run" },
  pdm: { words: "run" },
  pipenv: { words: "run" },
  pipx: { fetched: "run" },
  pnpm: { words: "exec", fetched: "dlx x" },
  podman: { elsewhere: "run exec create container/run container/exec compose/run compose/exec" },
  poetry: { words: "run" },
  pyenv: { words: "exec" },
  rbenv: { words: "exec" },
  rustup: { later: "run" },
  rye: { words: "run" },
  snap: { elsewhere: "run" },
  sops: { later: "exec-env exec-file" },
  uv: { words: "run", fetched: "tool/run" },
  vagrant: { elsewhere: "ssh" },
  volta: { later: "run" },
  yarn: { words: "exec node", fetched: "dlx" },
}

/** What words start by a subcommand or by the name of the program, and where that begins. */
export function startOf(words: readonly string[]): { readonly at: number; readonly how: Starts } | undefined {
  const name = programName(words[0] ?? "")
  for (const { parts, how } of started().get(name) ?? [])
    if (parts.every((part, i) => words[i + 1] === part)) return { at: parts.length + 1, how }
  const how = launchers().get(name)?.starts
  return how && { at: 1, how }
}

const started = lazily(
  (): ReadonlyMap<string, readonly { readonly parts: readonly string[]; readonly how: Starts }[]> =>
    new Map(
      Object.entries(subcommands).map(([name, table]) => [
        name,
        (["words", "later", "fetched", "elsewhere", "project"] as const).flatMap((how) =>
          (table[how]?.split(" ") ?? []).map((verb) => ({ parts: verb.split("/"), how })),
        ),
      ]),
    ),
)

/** What a wrapper may be given before its command; undefined for all other programs. */
export const strippingOf = (name: string): Stripping | undefined => launchers().get(name)?.strips

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

/** Whether it is a shell: it runs the text after `-c`. */
export const runsShellText = (word: string): boolean => launcher(word)?.runsShellText === true

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
