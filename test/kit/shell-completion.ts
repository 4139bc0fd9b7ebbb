/** What real shells offer at Tab, by the script that the program prints for them. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { environmentOf, type Place, program, runCodewright } from "./run-codewright.ts"

export const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

export const hasShell = (shell: Shell): boolean => Bun.which(shell) !== null

/** COMP_TYPE of bash: Tab, a second Tab that lists, and menu-complete, which puts each candidate into the line. */
const bashKeys = { tab: "9", list: "63", menu: "37" } as const
type BashKey = keyof typeof bashKeys

export interface Completing {
  /** What each line is completed to, in the order of the lines; `<files>` and `<folders>` where the shell looks those up itself. */
  readonly offers: (lines: readonly string[], key?: BashKey) => Promise<readonly (readonly string[])[]>
  /** The file of the script. */
  readonly script: string
  /** With the program on the PATH. */
  readonly env: { readonly [name: string]: string | undefined }
}

export async function openCompleting(shell: Shell, place: Place): Promise<Completing> {
  const { code, stdout } = await runCodewright({ place, argv: ["completions", shell] })
  if (code !== 0) throw new Error(`codewright completions ${shell} exits with ${code}`)
  const script = join(place.path, `completion.${shell}`)
  writeFileSync(script, stdout)
  const bin = join(place.path, "bin")
  mkdirSync(bin, { recursive: true })
  symlinkSync(program, join(bin, "codewright"))
  const usual = environmentOf(place, "http://127.0.0.1:9")
  const env = { ...usual, PATH: `${bin}${delimiter}${process.env["PATH"]}`, HOME: place.home }
  const driver = join(place.path, `driver.${shell}`)
  writeFileSync(driver, drivers[shell])
  return {
    script,
    env,
    async offers(lines, key = "tab") {
      const child = Bun.spawn([shell, ...(shell === "bash" ? ["--norc"] : []), driver, script], {
        cwd: place.work,
        env: { ...env, TYPE: bashKeys[key] },
        stdin: new Blob([lines.map((line) => `${line}\n`).join("")]),
        stdout: "pipe",
        stderr: "pipe",
      })
      const [out, wrong] = await Promise.all([child.stdout.text(), child.stderr.text()])
      if (wrong !== "") throw new Error(`${shell}: ${wrong}`)
      const answers = out.split("\u0002").slice(0, -1)
      if (answers.length !== lines.length) throw new Error(`${shell} answered ${answers.length} lines: ${out}`)
      return answers.map((answer) => answer.split("\n").filter((line) => line !== ""))
    },
  }
}

/** Each reads lines and writes what would be offered, ended by \u0002. The last one really asks; the others call the function as the shell would. */
const drivers: { readonly [shell in Shell]: string } = {
  bash: `
source "$1"
compopt() { case "$*" in '-o default') echo '<files>' ;; '-o dirnames') echo '<folders>' ;; esac; }
while IFS= read -r line; do
  read -ra COMP_WORDS <<<"\${line//=/ = }"
  [[ $line == *[' =']  ]] && COMP_WORDS+=("")
  [[ $line == *= ]] && unset 'COMP_WORDS[-1]'
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMP_TYPE=$TYPE
  _codewright
  printf '%s\\n' "\${COMPREPLY[@]}"
  printf '\\2'
done
`,
  zsh: `
compdef() { : }
compset() { : }
compadd() { while [[ $1 == -* && $1 != -- && $1 != -a ]]; do [[ $1 == -[Vd] ]] && shift; shift; done; if [[ $1 == -a ]]; then print -rl -- \${(P)2}; else shift; print -rl -- "$@"; fi }
_describe() { [[ $1 == -o ]] && shift; print -rl -- \${\${(P)2}%%:*} }
_files() { [[ $1 == -/ ]] && print '<folders>' || print '<files>' }
source "$1"
while IFS= read -r line; do
  words=(\${=line})
  [[ $line == *' ' ]] && words+=('')
  CURRENT=$#words
  cur=$words[CURRENT]
  _codewright | { while IFS= read -r each; do [[ $each == '<'* || $each == "\${cur##--*=}"* ]] && print -r -- $each; done }
  printf '\\2'
done
`,
  fish: `
source $argv[1]
while read -l line
    complete -C "$line" | string replace -r '\\t.*' ''
    printf '\\x02'
end
`,
}
