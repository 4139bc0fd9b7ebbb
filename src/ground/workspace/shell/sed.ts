/** sed, as far as it only prints lines: `-n` with addresses and `p`, and nothing else. */

import type { Argument } from "./argument.ts"
import { type Finding, refused } from "./program.ts"
import { fit } from "./shape.ts"

export function judgeSed(args: readonly Argument[]): Finding {
  const fitted = fit(args, {
    flags:
      "-n -E -r -s -u -z -e:text --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression:text --version --help",
    operands: ({ flags }) => (flags.has("-e") || flags.has("--expression") ? "path*" : "text path*"),
  })
  if (!fitted.fits) return refused(fitted.why)
  const { flags, values, operands } = fitted.given
  if (!["-n", "--quiet", "--silent"].some((flag) => flags.has(flag))) return refused("it lacks -n")
  const given = values.flatMap(({ kind, value }) => (kind === "text" ? [value] : []))
  const scripts = given.length > 0 ? given : operands.slice(0, 1)
  if (!scripts.every(({ kind, text }) => kind === "exact" && onlyPrints(text)))
    return refused("its script could do more than print")
  return { ok: true, reads: fitted.reads, writes: [] }
}

/** A line, the last line, a step, or a pattern in which no delimiter can hide between brackets. */
const line = String.raw`\d+(?:~\d+)?|\$`
const pattern = String.raw`\/(?:[^\/\\\[\]\n]|\\[^\n]|\[\^?\]?[^\/\\\[\]\n]*\])+\/I?`
const address = `(?:${line}|${pattern})`
const command = String.raw`[ \t]*(?:${address}(?:,(?:${address}|[+~]\d+))?)?!?p[ \t]*`

/** Command by command, so that no text can make it take long: each must be an address and `p`. */
function onlyPrints(script: string): boolean {
  const next = new RegExp(command, "y")
  while (next.test(script)) {
    if (next.lastIndex === script.length) return true
    if (!/[;\n]/.test(script[next.lastIndex] ?? "")) return false
    next.lastIndex++
    if (next.lastIndex === script.length) return true
  }
  return false
}
