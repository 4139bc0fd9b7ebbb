/** Commands that create, move and remove files, with what they read and write. */

import { type Argument, exactly } from "#ground/workspace/shell/argument.ts"
import { isOutput } from "#ground/workspace/shell/outputs.ts"
import { expansion, fewMatches } from "#ground/workspace/shell/paths.ts"
import { type Finding, refused, type CommandContext, type Table } from "#ground/workspace/shell/programs/program.ts"
import { fit, type Shape } from "#ground/workspace/shell/shape.ts"
import { judgeTar } from "#ground/workspace/shell/programs/tar.ts"
import { judgeLn, transfer } from "#ground/workspace/shell/programs/transfer.ts"

const help = "--help --version"

/** `harmless` ones create, move or remove what is named and nothing else; accept-edits mode covers them. */
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
  tee: { judge: judgeTee },
  rm: { judge: judgeRm },
  unlink: { judge: (args) => plainly(args, { flags: help, operands: "write" }, "harmless") },
  cp: {
    judge: (args, standing) =>
      transfer(
        args,
        `-a -b -d -f -i -l -n -P -p -r -R -s -u -v -x -t:write --archive --backup?word --force --interactive --link --no-clobber --no-dereference --preserve?word --no-preserve:word --recursive --reflink?word --remove-destination --sparse:word --strip-trailing-slashes --symbolic-link --target-directory:write --update?word --verbose --one-file-system ${help}`,
        "copies",
        standing,
      ),
  },
  mv: {
    judge: (args, standing) =>
      transfer(
        args,
        `-b -f -i -n -u -v -t:write --backup?word --force --interactive --no-clobber --strip-trailing-slashes --target-directory:write --update?word --verbose ${help}`,
        "moves",
        standing,
      ),
  },
  ln: { judge: judgeLn },
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

/** Nothing written to these stays. */
const nowhere: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"])

function judgeTee(args: readonly Argument[]): Finding {
  const shape = { flags: `-a -i -p --append --ignore-interrupts ${help}`, operands: "write*" }
  const found = plainly(args, shape, "harmless")
  return found.ok ? { ...found, writes: found.writes.filter(({ text }) => !nowhere.has(text)) } : found
}

/** Files and folders by name, or what a pattern matches in a folder of outputs; what is lost is in another table. */
function judgeRm(args: readonly Argument[], { folders, place }: CommandContext): Finding {
  const flags = `-f -i -I -r -R -d -v --force --interactive?word --one-file-system --preserve-root?word --recursive --dir --verbose ${help}`
  const found = plainly(args, { flags, operands: "write+" }, "not harmless")
  if (!found.ok) return found
  const [folder, ...others] = folders ?? []
  const isKnown = (arg: Argument): boolean => {
    if (arg.kind === "exact") return true
    if (arg.kind !== "glob" || folder === undefined || others.length > 0 || !isOutput(arg.head)) return false
    const matches = expansion(arg, folder, place)
    return matches !== undefined && matches.length <= fewMatches
  }
  return { ...found, harmless: found.writes.every(isKnown) }
}

const mode = /^(?:[0-7]{3,4}|(?:[ugoa]*[-+=][rwxXst]*)(?:,[ugoa]*[-+=][rwxXst]*)*)$/

/** Permissions to read, write and execute; nothing that gives a program the rights of its owner. */
const plainMode = /^(?:0?[0-7]{3}|(?:[ugoa]*[-+=][rwxX]*)(?:,[ugoa]*[-+=][rwxX]*)*)$/

/** A mode may look like a flag: `-x` removes the permission to execute. */
function judgeChmod(args: readonly Argument[]): Finding {
  const at = args.findIndex(({ kind, text }) => kind === "exact" && mode.test(text) && !/^-[Rvcf]+$/.test(text))
  if (at === -1) return refused("its mode is not known")
  const isRecursive = args.some(({ text }) => /^-[vcf]*R|^--rec/.test(text))
  return plainly(
    [...args.slice(0, at), ...args.slice(at + 1)],
    { flags: `-R -v -c -f --recursive --verbose --changes --silent --quiet`, operands: "write+" },
    plainMode.test(args[at]?.text ?? "") && !isRecursive ? "harmless" : "not harmless",
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
