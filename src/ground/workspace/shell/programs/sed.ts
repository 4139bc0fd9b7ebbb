/**
 * sed, as far as it prints or edits the files it names: no script from a file, and nothing in it that writes, reads or
 * runs.
 */

import { type Argument, exactly } from "#ground/workspace/shell/argument.ts"
import { type Finding, refused } from "./program.ts"
import { onlyPrints } from "./sed-script.ts"
import { fit } from "#ground/workspace/shell/shape.ts"

export function judgeSed(args: readonly Argument[]): Finding {
  const fitted = fit(args, {
    flags:
      "-n -E -r -s -u -z -i?word --in-place?word -e:text --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression:text --version --help",
    operands: ({ flags }) => (flags.has("-e") || flags.has("--expression") ? "path*" : "text path*"),
  })
  if (!fitted.fits) return refused(fitted.why)
  const { flags, values, operands } = fitted.given
  const flagScripts = values.flatMap(({ kind, value }) => (kind === "text" ? [value] : []))
  const scripts = flagScripts.length > 0 ? flagScripts : operands.slice(0, 1)
  if (!scripts.every(({ kind, text }) => kind === "exact" && onlyPrints(text)))
    return refused("its script could do more than print")
  if (!flags.has("-i") && !flags.has("--in-place")) return { ok: true, reads: fitted.reads, writes: [] }
  // Elsewhere the word behind -i is how the copy is called, and then nothing above is what it seems.
  if (process.platform !== "linux") return refused("it could write a copy")
  const files = fitted.reads
  const isPlain = files.length > 0 && files.every(({ kind }) => kind === "exact")
  const copies = values.flatMap(({ flag, value }) =>
    flag === "-i" || flag === "--in-place" ? files.map(({ text }) => exactly(`${text}${value.text}`)) : [],
  )
  return { ok: true, reads: files, writes: [...files, ...copies], harmless: isPlain }
}
