/** Where the server's secrets come from. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { databaseHere } from "#faces/cli/fleet/fleet-here.ts"
import { readSecret, secretFilesOf, secretVariablesOf, withoutServerSecrets } from "#faces/cli/fleet/server-secrets.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { DatabaseSettings } from "#ground/settings/settings.ts"
import { failureOf, valueOf } from "../../../kit/team/conformance.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("a secret comes from a variable, a file or a command, and what is wrong is named", async () => {
  using folder = temporaryFolder()
  const places = { env: { WORD: " from a variable ", EMPTY: "" }, home: folder.path }
  writeFileSync(folder.join("word"), "from a file\n")
  writeFileSync(folder.join("empty"), "\n")
  expect(valueOf(await readSecret({ tokenEnv: "WORD" }, "token", places))).toBe("from a variable")
  expect(valueOf(await readSecret({ tokenFile: "~/word" }, "token", places))).toBe("from a file")
  expect(valueOf(await readSecret({ tokenHelper: "echo from a command" }, "token", places))).toBe("from a command")
  expect(valueOf(await readSecret({}, "token", places))).toBeUndefined()
  for (const [settings, words] of [
    [{ tokenEnv: "NONE" }, "the variable NONE is not set."],
    [{ tokenEnv: "EMPTY" }, "the variable EMPTY is not set."],
    [{ tokenFile: "~/none" }, `the file ${folder.join("none")} does not exist.`],
    [{ tokenFile: "~/empty" }, `the file ${folder.join("empty")} is empty.`],
    [{ tokenHelper: "exit 3" }, "tokenHelper ended with code 3"],
  ] as const)
    expect(failureOf(await readSecret(settings, "token", places))).toContain(words)
})

test("files and variables that the settings name are closed to sessions", () => {
  const settings = {
    openid: { issuer: "i", clientId: "c", roles: {}, clientSecretFile: "~/openid" },
    forges: [
      { host: "a", tokenFile: "/etc/forge" },
      { host: "b", tokenEnv: "FORGE" },
    ],
    webhooks: [{ url: "u", secretEnv: "HOOK" }],
    database: { passwordEnv: "WORD" },
  }
  expect(secretFilesOf(settings, "/home/ann")).toEqual(["/home/ann/openid", "/etc/forge"])
  expect(secretVariablesOf(settings)).toEqual(["WORD", "FORGE", "HOOK"])
  expect(withoutServerSecrets({ WORD: "1", HOOK: "2", PATH: "/bin" }, settings)).toEqual({ PATH: "/bin" })
})

test("the database's address has its password from elsewhere, and never from the settings themselves", async () => {
  const ask = (database: DatabaseSettings, flag?: string, env: Record<string, string> = {}) =>
    databaseHere(
      flag,
      { WORD: "p@ss/word", ...env },
      {
        home: "/home/ann",
        loaded: { settings: { server: { database } } } as unknown as StartupContext["loaded"],
      },
    )
  const url = "postgres://codewright@db.example/codewright"
  const whole = "postgres://codewright:p%40ss%2Fword@db.example/codewright"
  expect(valueOf(await ask({ url, passwordEnv: "WORD" }))).toEqual({ url: whole, pooler: undefined })
  const pooled = { CODEWRIGHT_DATABASE: url, CODEWRIGHT_DATABASE_POOLER: url }
  expect(valueOf(await ask({ passwordEnv: "WORD" }, undefined, pooled))).toEqual({ url: whole, pooler: whole })
  expect(valueOf(await ask({ passwordEnv: "WORD" }, "postgres://a:own@b/c"))?.url).toBe("postgres://a:own@b/c")
  expect((await ask({ passwordEnv: "NONE" })).ok).toBe(true)
  expect(failureOf(await ask({ url, passwordEnv: "NONE" }))).toBe("server.database: the variable NONE is not set.")
  expect(failureOf(await ask({ url: whole }))).toContain("server.database.url has a password in it.")
})
