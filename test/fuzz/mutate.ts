/** Turns commands into others that look alike: the ways in which a harmless command becomes a dangerous one. */

import type { Ids } from "#lib/ids.ts"

const tokens: readonly string[] = [
  ";",
  "|",
  "&",
  "&&",
  "||",
  "|&",
  ";;",
  ">",
  ">>",
  "<",
  "<<",
  "<<<",
  "<>",
  ">|",
  "&>",
  ">&",
  "2>&1",
  "2>z",
  ">z",
  "</etc/passwd",
  "$(",
  ")",
  "`",
  "'",
  '"',
  "\\",
  "$'",
  '$"',
  "${",
  "{",
  "}",
  "(",
  "((",
  "))",
  "[",
  "]",
  "[[",
  "]]",
  "*",
  "?",
  "~",
  "~/",
  "!",
  "#",
  "\n",
  "\t",
  " ",
  "  ",
  "\\\n",
  "=",
  "@",
  "+",
  ",",
  "..",
  "^",
  "%",
  "$x",
  "${x}",
  '"$x"',
  "$HOME",
  "$PWD",
  "$IFS",
  "$?",
  "$@",
  "$1",
  "$((1))",
  "$(touch z)",
  "`touch z`",
  "<(touch z)",
  ">(touch z)",
  "$(pwd)",
  "$(evil)",
  "{a,b}",
  "{1..3}",
  "{}",
  "\\;",
  " \\;",
  " -- ",
  " - ",
  " -o ",
  " -o",
  " --output=z",
  " --outp=z",
  " -exec ",
  " -exec evil {} \\;",
  " -delete",
  " -i",
  " -f",
  " -w",
  " -e",
  " -x",
  " -X",
  " -r",
  " -R",
  " -L",
  " --pre=evil",
  " --pre evil",
  " -I evil",
  " --to-command=evil",
  " --compress-program=evil",
  " --ext-diff",
  " --textconv",
  " -c core.pager=evil ",
  " -C .. ",
  " @z",
  " +z",
  "x=1 ",
  "x=z; ",
  "PATH=. ",
  "LC_ALL=C ",
  "GIT_PAGER=evil ",
  "eval ",
  "command ",
  "builtin ",
  "env ",
  "sudo ",
  "exec ",
  "xargs ",
  " | xargs ",
  " | xargs -I{} ",
  "time ",
  "timeout 5 ",
  "nohup ",
  "bash -c ",
  "sh ",
  "./evil",
  "evil",
  "touch z",
  "rm a.txt",
  "tee z",
  "cd ..",
  "cd src && ",
  "cd /; ",
  "if ",
  "then ",
  "fi",
  "for i in ",
  "do ",
  "done",
  "while ",
  "case ",
  "esac",
  "function f ",
  "<<E\n",
  "\nE\n",
  "<<'E'\n",
  "\u00a0",
  "\u200b",
  "\r",
  "\u0000",
  "é",
  "‐",
]

/** One to four changes of a command, with pieces of others. */
export function mutated(command: string, others: readonly string[], { random }: Ids): string {
  let text = command
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes--) text = changed(text)
  return text

  function changed(now: string): string {
    const at = place(now)
    const before = now.slice(0, at)
    const after = now.slice(at)
    const length = 1 + Math.floor(random() * 3)
    switch (Math.floor(random() * 10)) {
      case 0:
      case 1:
      case 2:
        return before + pick(tokens) + after
      case 3:
        return before + after.slice(length)
      case 4:
        return before + pick(tokens) + after.slice(length)
      case 5:
        return before + after.slice(0, length) + after
      case 6:
        return `${now}${pick(["; ", " | ", " && ", "\n", " ", " & ", " || "])}${pick(others)}`
      case 7: {
        const other = pick(others)
        return before + other.slice(place(other))
      }
      case 8:
        return now.replace(pick([/\S+$/, /^\S+/, /\s\S+/]), (word) =>
          pick([
            ` '${word.trim()}'`,
            ` "${word.trim()}"`,
            ` $(echo ${word.trim()})`,
            `${word}${word}`,
            ` \\${word.trim()}`,
          ]),
        )
      default:
        return now
          .split(" ")
          .sort(() => random() - 0.5)
          .join(" ")
    }
  }

  function place(within: string): number {
    return Math.floor(random() * (within.length + 1))
  }

  function pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    const chosen = list[Math.floor(random() * list.length)]
    if (chosen === undefined) throw new Error("There is nothing to choose from.")
    return chosen
  }
}
