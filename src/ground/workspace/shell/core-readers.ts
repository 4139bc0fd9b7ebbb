/**
 * Commands that may read without asking where nothing can confine them. Each is part of the shell or of every system,
 * takes no settings from the project, and starts nothing. git does take settings and start programs, but for a command
 * that only reads all of that is switched off. Any other known reader needs a sandbox, or a question.
 */

import { lazily } from "#lib/lazily.ts"
import type { Segment } from "./analysis.ts"
import { programName } from "./launchers.ts"

const names = {
  bash: ": [ [[ cd echo exit false printf pwd test true type wait",
  coreutils:
    "arch b2sum base32 base64 basename cat cksum comm cut date df dirname du expand fold fmt groups head hostname id join ls md5sum nl nproc od paste readlink realpath seq sha1sum sha224sum sha256sum sha384sum sha512sum shuf sleep sort stat sum tac tail tr tty uname unexpand uniq wc whoami",
  search: "grep egrep fgrep rg find",
  comparison: "cmp diff",
  git: "git",
}

const core = lazily((): ReadonlySet<string> => new Set(Object.values(names).flatMap((list) => list.split(" "))))

/**
 * Whether a part, and everything it would start, is such a command; a bare assignment or redirection starts nothing.
 */
export function isCoreReader({ argv, behind }: Segment): boolean {
  const [name] = argv
  return (name === undefined || core().has(programName(name))) && behind.every(isCoreReader)
}
