/**
 * awk, as far as its program only prints, compares and calculates: no program from a file, none that runs or opens
 * anything.
 */

import type { Argument } from "#ground/workspace/shell/argument.ts"
import { onlyReckons } from "./awk-program.ts"
import { type Finding, refused } from "./program.ts"
import { fit } from "#ground/workspace/shell/shape.ts"

export function judgeAwk(args: readonly Argument[]): Finding {
  const fitted = fit(args, { flags: "-F:text -v:text --version", operands: programFirst, flagsFirst: true })
  if (!fitted.fits) return refused(fitted.why)
  const { flags, values, operands } = fitted.given
  if (flags.has("--version")) return { ok: true, reads: [], writes: [] }
  const isPlain = values.every(
    ({ flag, value }) => value.kind === "exact" && (flag === "-F" || variable.test(value.text)),
  )
  if (!isPlain) return refused("a variable that it is given is not plain")
  const [program] = operands
  if (program?.kind !== "exact" || !onlyReckons(program.text)) return refused("its program could do more than print")
  return { ok: true, reads: fitted.reads, writes: [] }
}

const programFirst = ({ flags }: { readonly flags: ReadonlySet<string> }): string =>
  flags.has("--version") ? "" : "text path*"

/** Names in capitals mean something to awk, but these only separate words and lines. */
const variable = /^(?:[a-z_]\w*|FS|OFS|RS|ORS)=/
