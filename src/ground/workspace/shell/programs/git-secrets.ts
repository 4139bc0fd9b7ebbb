/** Whether git's settings hold secrets, which showing them would give away. */

import { posix } from "node:path"
import { type ConfigEntry, readConfig } from "./git-config.ts"
import type { CommandFolders } from "#ground/workspace/shell/shape.ts"
import type { SortedWords } from "#ground/workspace/shell/sort-out.ts"
import { parents } from "#ground/workspace/shell/stray-file.ts"

/** Keys whose value is a secret by itself, in lower case. */
const secretKey = /extraheader|token|passw|passphrase|secret|oauth|smtppass|cookie|api-?key|private-?key/

/** Keys whose value may contain one: an address with a name and a password. */
const address = /url|insteadof|proxy|remote/

/** A name and a password before a host, or what a code host gives out instead of both. */
const withPassword = /:\/\/[^\s/@]*:[^\s/@]+@|:\/\/(?:gh[a-z]_|github_pat_|glpat-|[0-9a-f]{20,})[^\s/@]*@/i

/** Why `git config` with these words would show a secret; undefined when it would not. */
export function gitSecretShown({ flags, operands }: SortedWords, standing: CommandFolders): string | undefined {
  if (flags.has("--name-only")) return undefined
  const key = operands.findLast(({ text }) => text !== "get" && text !== "list")?.text.toLowerCase()
  const isAll = key === undefined || ["--get-regexp", "--get-urlmatch"].some((flag) => flags.has(flag))
  if (!isAll && secretKey.test(key)) return "it could show secrets"
  return (isAll || address.test(key)) && holdsSecrets(standing) ? "git's settings hold secrets" : undefined
}

/** Whether any of the settings that git reads in these folders is a secret, or cannot be read. */
export function holdsSecrets({ folders, place }: CommandFolders): boolean {
  const own = [".gitconfig", ".config/git/config"].map((name) => posix.join(place.home, name))
  const around = (folders ?? ["/"]).flatMap((folder) => parents(folder).map((each) => posix.join(each, ".git/config")))
  return ["/etc/gitconfig", ...own, ...around].some((file) => {
    if (place.exists?.(file) === false) return false
    const entries = readConfig(place.text?.(file) ?? "")
    return entries === undefined || entries.some(isSecret)
  })
}

const isSecret = ({ key, subsection = "", value }: ConfigEntry): boolean =>
  (secretKey.test(key) && value.trim() !== "") || withPassword.test(value) || withPassword.test(subsection)
