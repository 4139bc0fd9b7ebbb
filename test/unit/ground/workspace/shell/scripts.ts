/** Made-up shell scripts that use every way of quoting and joining that the analysis reads. */

import fc from "fast-check"

/** Names that stand for programs; bash runs none of them. */
export const programs: readonly string[] = ["ls", "cat", "grep", "echo", "printf", "wc", "sort", "head", "rm", "git"]

const bare = fc.stringMatching(/^[a-zA-Z0-9_.,:@%+=^/-]{1,6}$/)
const visible = fc.stringMatching(/^[ -~]{0,8}$/)

const singleQuoted = visible.map((text) => `'${text.replaceAll("'", "")}'`)
const doubleQuoted = visible.map((text) => `"${text.replace(/["\\`$]/g, (char) => `\\${char}`)}"`)
const looselyQuoted = fc
  .stringMatching(/^[ a-z\\!'*?[\]{},~#;&|<>()-]{0,6}$/)
  .map((text) => `"${text.replace(/\\$/, "")}"`)
const escaped = fc.stringMatching(/^[!-~ ]$/).map((char) => `\\${char}`)
const ansi = fc.stringMatching(/^(?:[ -&(-[\]-~]|\\[nt\\'"]){0,5}$/).map((text) => `$'${text}'`)
const braces = fc.constantFrom(
  "{a,b}",
  "{1..3}",
  "x{,.bak}",
  "{c..a}",
  "{a,b{c,d}}",
  "{a}",
  "{}",
  "@{0}",
  "{a,b",
  "a,b}",
  "{-2..1}",
)
const tilde = fc.constantFrom("~", "~/", "~/x", "a~", "~a")
const variable = fc.constantFrom("$x", '"$x"', "${x}", '"${x}y"', "$HOME", '"$PWD"', "$y", '"$y"')
const pattern = fc.constantFrom("*.zz", "q?", "[qz]", "a*b")

const piece = fc.oneof(
  { weight: 6, arbitrary: bare },
  { weight: 3, arbitrary: singleQuoted },
  { weight: 3, arbitrary: doubleQuoted },
  { weight: 2, arbitrary: looselyQuoted },
  { weight: 2, arbitrary: escaped },
  { weight: 1, arbitrary: ansi },
  { weight: 1, arbitrary: braces },
  { weight: 1, arbitrary: tilde },
  { weight: 1, arbitrary: variable },
  { weight: 1, arbitrary: pattern },
)

const word = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""))

const name = fc
  .constantFrom(...programs)
  .chain((text) =>
    fc.constantFrom(text, `'${text}'`, `"${text}"`, `\\${text}`, `${text.slice(0, 1)}''${text.slice(1)}`),
  )

const gap = fc.constantFrom(" ", " ", " ", "  ", "\t", " \\\n ")

const redirection = fc.constantFrom(
  "",
  "",
  "",
  "",
  " 2>&1",
  " >/dev/null",
  " < /dev/null",
  " 2>/dev/null",
  " <<< text",
  " >|zz",
  " &>zz",
  " 3>&1",
)

const simple = fc
  .tuple(name, fc.array(fc.tuple(gap, word), { maxLength: 3 }), redirection)
  .map(([program, words, end]) => `${program}${words.map(([space, text]) => space + text).join("")}${end}`)

const group = fc.oneof(
  { weight: 6, arbitrary: simple },
  { weight: 1, arbitrary: simple.map((inner) => `(${inner})`) },
  { weight: 1, arbitrary: simple.map((inner) => `{ ${inner}; }`) },
  { weight: 1, arbitrary: simple.map((inner) => `! ${inner} || :`) },
  { weight: 1, arbitrary: fc.tuple(word, simple).map(([each, inner]) => `for i in ${each} b; do ${inner}; done`) },
  { weight: 1, arbitrary: simple.map((inner) => `for i in a b; do ${inner} "$i"; done`) },
  { weight: 1, arbitrary: fc.tuple(simple, simple).map(([a, b]) => `if ${a}; then ${b}; fi`) },
  { weight: 1, arbitrary: simple.map((inner) => `say() { ${inner} "$1"; }; say a; say 'b c'`) },
  { weight: 1, arbitrary: fc.tuple(word, simple).map(([each, inner]) => `all() { ${inner} "$@"; }; all x ${each}`) },
  { weight: 1, arbitrary: simple.map((inner) => `own() { local z=q; ${inner} "$z"; }; z=r; own; ls "$z"`) },
  { weight: 1, arbitrary: word.map((text) => `cat <<'E N D'\n${text}\n$(rm x)\nE N D`) },
  { weight: 1, arbitrary: fc.tuple(name, simple).map(([program, inner]) => `${program} "$(${inner})" >/dev/null`) },
)

const separator = fc.constantFrom("; ", "\n", " && ", " | ", ";", "\n\n", " # note; rm x\n", " |& ")

/** Scripts in which every command is reached, since every program succeeds. */
export const script: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("", "x=abc; ", "x='a b'\ny=c\n", 'x="q"; y=$x/z; '),
    group,
    fc.array(fc.tuple(separator, group), { maxLength: 2 }),
  )
  .map(([before, first, rest]) => before + first + rest.map(([join, next]) => join + next).join(""))
