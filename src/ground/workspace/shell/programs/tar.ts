/** tar: listing reads, packing writes the archive, unpacking writes what the archive says. */

import { type Argument, exactly } from "#ground/workspace/shell/argument.ts"
import { type Finding, refused } from "./program.ts"
import { fit } from "#ground/workspace/shell/shape.ts"

/** No --to-command, no -I, no --checkpoint-action, no -T, no -h: they start programs, read lists or follow links. */
const flags =
  "-c -t -x -v -z -j -J -k -p -f:path -C:path --create --list --extract --get --verbose --gzip --bzip2 --xz --zstd --file:path --directory:path --keep-old-files --exclude:text --strip-components:number --wildcards --version --help"

export function judgeTar(args: readonly Argument[]): Finding {
  const fitted = fit(dashed(args), { flags, operands: "path*" })
  if (!fitted.fits) return refused(fitted.why)
  const { given } = fitted
  const has = (...names: readonly string[]): boolean => names.some((name) => given.flags.has(name))
  const archive = valueOf("-f", "--file")
  const folder = valueOf("-C", "--directory")
  // A colon names a file on another machine, which tar would reach through a shell.
  if (!archive || archive.kind !== "exact" || /[:]/.test(archive.text))
    return refused("its archive is not a plain file")
  if (archive.text === "-") return refused("its archive comes through a pipe")
  const modes = [has("-c", "--create"), has("-t", "--list"), has("-x", "--extract", "--get")].filter(Boolean).length
  if (modes !== 1) return refused("what it does is not clear")
  if (has("-t", "--list")) return { ok: true, reads: [archive], writes: [] }
  if (has("-c", "--create"))
    return folder ? refused("it packs another folder") : { ok: true, reads: given.operands, writes: [archive] }
  return { ok: true, reads: [archive], writes: [folder ?? exactly(".")], unbounded: true, relinks: true }

  function valueOf(...names: readonly string[]): Argument | undefined {
    return given.values.findLast(({ flag }) => names.includes(flag))?.value
  }
}

/** `tar xzf a.tgz`: the first word is flags without a dash, of which only the last may take a value. */
function dashed(args: readonly Argument[]): readonly Argument[] {
  const [first, ...rest] = args
  if (first?.kind !== "exact" || !/^[ctxvzjJkp]*f?$/.test(first.text) || first.text === "") return args
  return [exactly(`-${first.text}`), ...rest]
}
