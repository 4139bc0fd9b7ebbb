/**
 * Commands that may read without asking where nothing can confine them. Each is part of the shell or of every system,
 * takes no settings from the project, and starts nothing. git does take settings and start programs, but for a command
 * that only reads all of that is switched off. Any other known reader needs a sandbox, or a question.
 */

import { lazily } from "#lib/lazily.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { programName } from "./launchers.ts"
import { files } from "#ground/workspace/shell/tables/files.ts"

const names = {
  bash: ": [ [[ break cd command continue echo exit export false hash local printf pwd read set shift test true type unset wait",
  coreutils:
    "arch b2sum base32 base64 basename cat cksum comm cut date df dirname du expand fold fmt groups head hostname id join ls md5sum nl nproc od paste readlink realpath seq sha1sum sha224sum sha256sum sha384sum sha512sum shuf sleep sort stat sum tac tail tr tty uname unexpand uniq wc whoami",
  search: "grep egrep fgrep rg find",
  comparison: "cmp diff",
  git: "git",
}

const core = lazily((): ReadonlySet<string> => new Set(Object.values(names).flatMap((list) => list.split(" "))))

/**
 * Whether all that a part does is in its words, so that it may run beside anything: a builtin, a basic reader that takes
 * no settings from the project, or a command that creates, copies, moves or removes the files it names.
 */
export function isPlainCommand({ argv: [name], behind }: Segment): boolean {
  if (name === undefined) return true
  const program = programName(name)
  if (program === "git" || behind.length > 0) return false
  return core().has(program) || Object.hasOwn(files, program)
}

export const runsGit = ({ argv, behind }: Segment): boolean =>
  programName(argv[0] ?? "") === "git" || behind.some(runsGit)

/**
 * Whether a part, and everything it would start, is such a command; a bare assignment or redirection starts nothing.
 */
export function isCoreReader({ argv, behind }: Segment): boolean {
  const [name] = argv
  return (name === undefined || core().has(programName(name))) && behind.every(isCoreReader)
}
