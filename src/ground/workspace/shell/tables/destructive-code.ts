/** What programs in other languages do that cannot be undone. Only used to warn, never to allow. */

import type { Destruction } from "#ground/workspace/shell/analysis.ts"

const removes: Destruction = { what: "a program that removes files", risk: "what it removes is gone for good" }
const drops: Destruction = { what: "dropping or deleting in a database", risk: "the data in the database is lost" }

/** By language; `any` applies to all but SQL. */
const patterns: readonly (readonly [language: string, pattern: RegExp, what: Destruction])[] = [
  [
    "python",
    /\brmtree\s*\(|\bos\.(?:remove|unlink|rmdir|removedirs)\s*\(|\.(?:unlink|rmdir)\s*\(|\bsend2trash\b/,
    removes,
  ],
  ["node", /\b(?:rm|rmdir|unlink)(?:Sync)?\s*\(|\brimraf\b|\bremoveSync\s*\(|\bDeno\.remove/, removes],
  ["ruby", /\bFileUtils\.(?:rm|remove)\w*|\b(?:File|Dir)\.(?:delete|unlink|rmdir)\b|\brmtree\b/, removes],
  ["perl", /\b(?:rmtree|remove_tree|unlink|rmdir)\b/, removes],
  ["php", /\b(?:unlink|rmdir)\s*\(/, removes],
  ["sql", /\b(?:drop|truncate|delete\s+from|dropDatabase|deleteMany|remove)\b/i, drops],
]

export function destructionInCode(language: string, text: string): Destruction | undefined {
  return patterns.find(([spoken, pattern]) => spoken === language && pattern.test(text))?.[2]
}

/** Words by which programs start others; without one its strings are only strings. */
const startsPrograms =
  /\b(?:subprocess|child_process|os\.(?:system|popen|exec\w*|spawn\w*)|system|popen|exec\w*|spawn\w*|shell_exec|passthru|proc_open|Open3|Deno\.Command|Bun\.\$|\$)\b|`/

/** The strings in a program that could be commands: one passed to a shell, or a list of words. */
export function commandsInCode(language: string, text: string): readonly string[] {
  // `\! command` in psql and mysql, `.shell command` in sqlite3.
  if (language === "sql")
    return [...text.matchAll(/^\s*(?:\\!|\.(?:shell|system)\b|system\b)\s*(.+)$/gm)].map(([, command = ""]) => command)
  if (!startsPrograms.test(text)) return []
  const joined = text.replace(/(["'])\s*,\s*\1/g, " ")
  return [...joined.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`\n]*)`/g)]
    .map(([, double, single, tick]) => double ?? single ?? tick ?? "")
    .filter((each) => /^\s*(?:[\w./-]+\s+)+\S/.test(each))
    .slice(0, 8)
}
