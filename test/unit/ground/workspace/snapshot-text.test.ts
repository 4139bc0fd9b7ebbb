import { expect, test } from "bun:test"
import { mergedPath, parseProfile, snapshotText, worthTaking } from "#ground/workspace/snapshot-text.ts"

test("answers are read, in either way of telling aliases", () => {
  const aliases = String.raw`alias a='x'
alias -- -='cd -'
alias q='it'\''s
two lines'
`
  const answers = `path\0\0/a:/b\0option\0globstar\0on\0function\0f\0f () { :; }\n\0alias\0z\0w\0aliases\0\0${aliases}\0done\0\0\0`
  expect(parseProfile(answers)).toMatchObject({
    path: "/a:/b",
    options: ["globstar"],
    functions: [{ name: "f", text: "f () { :; }\n" }],
    aliases: [
      { name: "z", text: "w" },
      { name: "a", text: "x" },
      { name: "-", text: "cd -" },
      { name: "q", text: "it's\ntwo lines" },
    ],
  })
})

test("answers without their end are none", () => {
  expect(parseProfile("path\0\0/a\0function\0f\0f () {")).toBeUndefined()
  expect(parseProfile("")).toBeUndefined()
})

test("the file has options first and aliases last, and no alias that asks back", () => {
  const text = snapshotText({
    path: "/it's",
    options: ["extglob", "noclobber"],
    functions: [{ name: "f", text: "f () { :; }\n" }],
    aliases: ["rm:rm -i", "cp:cp -ri", "mv:mv --interactive", "ls:ls -i", "q:say 'x'"].map((pair) => {
      const [name = "", value = ""] = pair.split(":")
      return { name, text: value }
    }),
  })
  expect(text).toBe(String.raw`shopt -s extglob
set -o noclobber
f () { :; }
export PATH='/it'\''s'
alias -- 'ls'='ls -i' 'q'='say '\''x'\''' 2>/dev/null
shopt -s expand_aliases
`)
})

test("functions that only zsh can run, and more than there is room for, are left out", () => {
  const functions = [
    { name: "plain", text: "plain () {\n\techo $1\n}" },
    { name: "keys", text: "keys () {\n\techo ${(k)aliases}\n}" },
    { name: "opt", text: "opt () {\n\tsetopt nullglob\n}" },
  ]
  expect(worthTaking(functions, "zsh").map(({ name }) => name)).toEqual(["plain"])
  expect(worthTaking(functions, "bash")).toEqual(functions)
  const large = { name: "large", text: "x".repeat(300_000) }
  expect(worthTaking([large, ...functions], "bash")).toEqual(functions)
})

test("PATH is the profile's, and what the agent has more stays where it is", () => {
  expect(mergedPath("/tools:/usr/bin:/bin", "/usr/bin:/bin")).toBe("/tools:/usr/bin:/bin")
  expect(mergedPath("/tools:/usr/bin:/bin", "/venv/bin:/tools:/usr/bin:/bin:/late")).toBe(
    "/venv/bin:/tools:/usr/bin:/bin:/late",
  )
  expect(mergedPath("/usr/bin", "/own")).toBe("/usr/bin:/own")
  expect(mergedPath("", "/own:/bin")).toBe("/own:/bin")
  expect(mergedPath("/a:/a::/b", "")).toBe("/a:/b")
})
