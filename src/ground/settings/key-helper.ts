/** Runs a command of the user's that prints a key, such as `apiKeyHelper`. */

import { failed, ok, type Result } from "#lib/result.ts"

/** The command is a shell command from the user's own settings; it never comes from a project. */
export async function runKeyHelper(
  command: string,
  env: { readonly [name: string]: string },
  setting = "apiKeyHelper",
  output: "a key" | "may print nothing" = "a key",
): Promise<Result<string, string>> {
  const child = Bun.spawn(["/bin/sh", "-c", command], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const [printed, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) return failed(`${setting} ended with code ${code}. ${complained.trim().slice(0, 300)}`.trim())
  const key = printed.trim()
  return key === "" && output === "a key" ? failed(`${setting} printed no key.`) : ok(key)
}
