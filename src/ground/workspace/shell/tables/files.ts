/** Commands that make, move and remove files, with what they read and write laid out. */

import { posix } from "node:path"
import { type Argument, exactly } from "#ground/workspace/shell/argument.ts"
import { type Finding, refused, type Table } from "#ground/workspace/shell/program.ts"
import { type Fit, fit, type Shape } from "#ground/workspace/shell/shape.ts"
import { judgeTar } from "#ground/workspace/shell/tar.ts"

const help = "--help --version"

/** `harmless` ones make or move what is named and nothing else; accepting edits covers them. */
export const files: Table = {
  mkdir: {
    judge: (args) =>
      plainly(args, { flags: `-p -v -m:word --parents --verbose --mode:word ${help}`, operands: "write+" }, "harmless"),
  },
  rmdir: {
    judge: (args) =>
      plainly(
        args,
        { flags: `-p -v --parents --verbose --ignore-fail-on-non-empty ${help}`, operands: "write+" },
        "harmless",
      ),
  },
  touch: {
    judge: (args) =>
      plainly(
        args,
        {
          flags: `-a -c -m -h -d:text -t:word -r:path --no-create --date:text --reference:path --time:word ${help}`,
          operands: "write+",
        },
        "harmless",
      ),
  },
  tee: {
    judge: (args) =>
      plainly(args, { flags: `-a -i -p --append --ignore-interrupts ${help}`, operands: "write*" }, "harmless"),
  },
  rm: {
    judge: (args) =>
      plainly(
        args,
        {
          flags: `-f -i -I -r -R -d -v --force --interactive?word --one-file-system --preserve-root?word --recursive --dir --verbose ${help}`,
          operands: "write+",
        },
        "not harmless",
      ),
  },
  unlink: { judge: (args) => plainly(args, { flags: help, operands: "write" }, "not harmless") },
  cp: {
    judge: (args) =>
      transfer(
        args,
        `-a -b -d -f -i -l -n -P -p -r -R -s -u -v -x -t:write --archive --backup?word --force --interactive --link --no-clobber --no-dereference --preserve?word --no-preserve:word --recursive --reflink?word --remove-destination --sparse:word --strip-trailing-slashes --symbolic-link --target-directory:write --update?word --verbose --one-file-system ${help}`,
        "copies",
      ),
  },
  mv: {
    judge: (args) =>
      transfer(
        args,
        `-b -f -i -n -u -v -t:write --backup?word --force --interactive --no-clobber --strip-trailing-slashes --target-directory:write --update?word --verbose ${help}`,
        "moves",
      ),
  },
  ln: {
    judge: (args) => {
      const found = transfer(
        args,
        `-b -f -i -L -n -P -r -s -v -t:write --force --interactive --logical --no-dereference --physical --relative --symbolic --target-directory:write --verbose ${help}`,
        "copies",
      )
      return found.ok ? { ...found, harmless: false, relinks: true } : found
    },
  },
  chmod: { judge: judgeChmod },
  tar: { judge: judgeTar },
  unzip: { judge: judgeUnzip },
}

function plainly(args: readonly Argument[], shape: Shape, how: "harmless" | "not harmless"): Finding {
  const fitted = fit(args, { ...shape, flagsFirst: true })
  if (!fitted.fits) return refused(fitted.why)
  return {
    ok: true,
    reads: fitted.reads,
    writes: fitted.writes,
    harmless: how === "harmless" && allExact(fitted.writes),
  }
}

/** Links that are copied as links, or moved, could stand where another part of the line looks. */
const relinking: ReadonlySet<string> = new Set([
  "-a",
  "-d",
  "-l",
  "-P",
  "-r",
  "-R",
  "-s",
  "--archive",
  "--link",
  "--no-dereference",
  "--recursive",
  "--symbolic-link",
])

/**
 * Sources and where they go: into a folder they keep their names, so that both forms of the target count. No -L and no
 * -H among the flags: they would follow links that lie in a folder, wherever they lead.
 */
function transfer(args: readonly Argument[], flags: string, how: "copies" | "moves"): Finding {
  const fitted = fit(args, { flags, operands: "path+", flagsFirst: true })
  if (!fitted.fits) return refused(fitted.why)
  const { sources, target } = endsOf(fitted)
  if (!target || sources.length === 0) return refused("its target is missing")
  const names = sources.map(({ kind, text }) => (kind === "exact" ? posix.basename(text) : undefined))
  // The content of a folder that ends in a dot is poured out, and nobody knows the names in it.
  const known = names.every((name) => name !== undefined && !/^\.{0,2}$/.test(name)) && target.kind === "exact"
  const landings = names.flatMap((name) => (name === undefined ? [] : [exactly(`${target.text}/${name}`)]))
  return {
    ok: true,
    reads: sources,
    writes: [target, ...(target.kind === "exact" ? landings : []), ...(how === "moves" ? sources : [])],
    harmless: known,
    unbounded: !known,
    relinks: how === "moves" || [...fitted.given.flags].some((flag) => relinking.has(flag)),
  }
}

function endsOf({ given, reads }: Extract<Fit, { fits: true }>): {
  readonly sources: readonly Argument[]
  readonly target: Argument | undefined
} {
  const folder = given.values.find(({ kind }) => kind === "write")?.value
  if (folder) return { sources: reads, target: folder }
  return { sources: reads.slice(0, -1), target: reads.at(-1) }
}

const mode = /^(?:[0-7]{3,4}|(?:[ugoa]*[-+=][rwxXst]*)(?:,[ugoa]*[-+=][rwxXst]*)*)$/

/** A mode may look like a flag: `-x` takes the right to execute away. */
function judgeChmod(args: readonly Argument[]): Finding {
  const at = args.findIndex(({ kind, text }) => kind === "exact" && mode.test(text) && !/^-[Rvcf]+$/.test(text))
  if (at === -1) return refused("its mode is not known")
  return plainly(
    [...args.slice(0, at), ...args.slice(at + 1)],
    { flags: `-R -v -c -f --recursive --verbose --changes --silent --quiet`, operands: "write+" },
    "not harmless",
  )
}

function judgeUnzip(args: readonly Argument[]): Finding {
  const fitted = fit(args, { flags: "-l -v -Z -Z1 -t -p -c -q -qq -o -n -j -d:write", operands: "path text*" })
  if (!fitted.fits) return refused(fitted.why)
  const { flags } = fitted.given
  if (["-l", "-v", "-Z", "-Z1", "-t", "-p", "-c"].some((flag) => flags.has(flag)))
    return { ok: true, reads: fitted.reads, writes: [] }
  return {
    ok: true,
    reads: fitted.reads,
    writes: fitted.writes.length > 0 ? fitted.writes : [exactly(".")],
    unbounded: true,
    relinks: true,
  }
}

const allExact = (args: readonly Argument[]): boolean => args.every(({ kind }) => kind === "exact")
