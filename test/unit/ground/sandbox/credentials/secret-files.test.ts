/** Files with secrets as programs write them: what is found, where it belongs, and what is not understood. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { findSecrets } from "#ground/sandbox/credentials/secret-files.ts"
import type { CredentialFormat } from "#ground/sandbox/policy.ts"

const secret = "s3cr3t-value"
const base64 = (text: string): string => Buffer.from(text).toString("base64")
const github = expect.arrayContaining(["github.com", "api.github.com"])

/** The file with `SENTINEL` in place of what was found, and the hosts of each; undefined if it is not understood. */
function copied(format: CredentialFormat, text: string) {
  const found = findSecrets(format, text)
  if (found === undefined) return undefined
  let [copy, at] = ["", 0]
  for (const { start, end, write } of found) {
    copy += text.slice(at, start) + write("SENTINEL")
    at = end
  }
  return { copy: copy + text.slice(at), secrets: found.map(({ secret: value, hosts }) => [value, hosts]) }
}

const understood: readonly (readonly [
  CredentialFormat,
  string,
  string,
  readonly (readonly [string, readonly string[]])[],
])[] = [
  [
    "npmrc",
    `//npm.corp:8443/:_authToken=${secret}`,
    "//npm.corp:8443/:_authToken=SENTINEL",
    [[secret, ["npm.corp:8443"]]],
  ],
  [
    "npmrc",
    `; mine\nregistry=https://npm.corp/path/\n@a:registry=https://x.test\n_authToken = "${secret}"\nfund=false\n`,
    `; mine\nregistry=https://npm.corp/path/\n@a:registry=https://x.test\n_authToken = "SENTINEL"\nfund=false\n`,
    [[secret, ["npm.corp"]]],
  ],
  ["npmrc", `_authToken=${secret}\r\n`, "_authToken=SENTINEL\r\n", [[secret, ["registry.npmjs.org"]]]],
  ["npmrc", "//npm.corp/:_authToken=${NPM_TOKEN}\n", "//npm.corp/:_authToken=${NPM_TOKEN}\n", []],
  [
    "npmrc",
    `//npm.corp/a/b/:username=me\n//npm.corp/a/b/:_password=${base64(secret)}\n`,
    `//npm.corp/a/b/:username=me\n//npm.corp/a/b/:_password=${base64("SENTINEL")}\n`,
    [[secret, ["npm.corp"]]],
  ],
  [
    "npmrc",
    `//npm.corp/:_auth=${base64(`me:${secret}`)}`,
    `//npm.corp/:_auth=${base64("me:SENTINEL")}`,
    [[secret, ["npm.corp"]]],
  ],
  [
    "netrc",
    `machine a.test login me password ${secret} # mine\nmachine b.test\n\tlogin you\n\tpassword other-secret\ndefault login x password third-secret\n`,
    `machine a.test login me password SENTINEL # mine\nmachine b.test\n\tlogin you\n\tpassword SENTINEL\ndefault login x password SENTINEL\n`,
    [
      [secret, ["a.test"]],
      ["other-secret", ["b.test"]],
      ["third-secret", []],
    ],
  ],
  [
    "git-credentials",
    `https://me:p%2Fq-secret@git.corp:8443/path\nhttp://me:${secret}@plain.test\nhttps://${secret}:x-oauth-basic@github.com\n`,
    "https://me:SENTINEL@git.corp:8443/path\nhttp://me:SENTINEL@plain.test\nhttps://SENTINEL:x-oauth-basic@github.com\n",
    [
      ["p/q-secret", ["git.corp:8443"]],
      [secret, []],
      [secret, github],
    ],
  ],
  [
    "gh",
    `github.com:\n    users:\n        me:\n            oauth_token: ${secret}\n    git_protocol: https\n    oauth_token: ${secret}\n    user: me\nghe.corp:\n    oauth_token: "other-secret"\n`,
    `github.com:\n    users:\n        me:\n            oauth_token: SENTINEL\n    git_protocol: https\n    oauth_token: SENTINEL\n    user: me\nghe.corp:\n    oauth_token: "SENTINEL"\n`,
    [
      [secret, github],
      [secret, github],
      ["other-secret", ["ghe.corp"]],
    ],
  ],
  [
    "pypirc",
    `[distutils]\nindex-servers =\n    pypi\n    mine\n\n[pypi]\nusername = __token__\npassword = ${secret}\n\n[mine]\nrepository: https://py.corp/simple\npassword: other-secret\n`,
    `[distutils]\nindex-servers =\n    pypi\n    mine\n\n[pypi]\nusername = __token__\npassword = SENTINEL\n\n[mine]\nrepository: https://py.corp/simple\npassword: SENTINEL\n`,
    [
      [secret, ["upload.pypi.org"]],
      ["other-secret", ["py.corp"]],
    ],
  ],
  [
    "cargo",
    `[registry]\ntoken = "${secret}"\n[registries.mine]\ntoken = "other-secret"\n`,
    `[registry]\ntoken = "SENTINEL"\n[registries.mine]\ntoken = "SENTINEL"\n`,
    [
      [secret, ["crates.io"]],
      ["other-secret", []],
    ],
  ],
  ["whole", `${secret}\n`, "SENTINEL\n", [[secret, []]]],
]

test.each(understood)("%s: %p", (format, text, copy, secrets) => {
  expect(copied(format, text)).toEqual({ copy, secrets: secrets.map((each) => [...each]) })
})

const notUnderstood: readonly (readonly [CredentialFormat, string])[] = [
  ["npmrc", '//npm.corp/:key="-----BEGIN PRIVATE KEY-----"'],
  ["npmrc", "//npm.corp/:_auth=not base64!"],
  ["npmrc", `https-proxy=http://me:${secret}@proxy.corp`],
  ["npmrc", `[section]`],
  ["npmrc", `//npm.corp/:newSecretToken=${secret}`],
  ["netrc", `machine a.test login me password "${secret}"`],
  ["netrc", `machine a.test login me password ${secret}\nmacdef init\ncd ${secret}\n`],
  ["netrc", "machine a.test login"],
  ["git-credentials", `store --file ${secret}`],
  ["git-credentials", `https://me:%zz@git.corp`],
  ["gh", `github.com: { oauth_token: ${secret} }`],
  ["gh", `github.com:\n    oauth_token: |\n        ${secret}\n`],
  ["gh", `github.com:\n    refresh_token: ${secret}\n`],
  ["pypirc", `[pypi]\nrepository = https://me:${secret}@py.corp\n`],
  ["pypirc", `[pypi]\npassword = %(token)s\n`],
  ["cargo", `[registry]\ntoken = """${secret}"""\n`],
  ["cargo", `[registry]\nsecret-key = "${secret}"\n`],
  ["cargo", `registry = { token = "${secret}" }\n`],
  ["whole", `${secret}\n${secret}\n`],
  ["whole", ""],
  ["netrc", "machine a.test\0 password x"],
]

test.each(notUnderstood)("%s is not understood: %p", (format, text) => {
  expect(findSecrets(format, text)).toBeUndefined()
})

test("a password of the user is found wherever it stands, or the file is not understood", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9!$%&*+./:;<=>?@^_~-]{8,20}$/)
  const files: { readonly [Format in CredentialFormat]: (value: string) => string } = {
    npmrc: (value) => `registry=https://npm.corp/\n//npm.corp/:_authToken=${value}\n`,
    netrc: (value) => `machine a.test login me password ${value}\n`,
    "git-credentials": (value) => `https://me:${encodeURIComponent(value)}@git.corp\n`,
    gh: (value) => `github.com:\n    oauth_token: ${value}\n`,
    pypirc: (value) => `[pypi]\nusername: me\npassword: ${value}\n`,
    cargo: (value) => `[registry]\ntoken = "${value}"\n`,
    whole: (value) => `${value}\n`,
  }
  for (const [format, file] of Object.entries(files) as [CredentialFormat, (value: string) => string][])
    fc.assert(
      fc.property(word, (value) => {
        const result = copied(format, file(value))
        if (result === undefined) return
        expect(result.secrets).toMatchObject([[value, expect.anything()]])
        expect(result.copy).not.toContain(value)
      }),
    )
})

test("nothing makes it throw, and what is found lies apart and in order", () => {
  const formats = ["npmrc", "netrc", "git-credentials", "gh", "pypirc", "cargo", "whole"] as const
  const pieces = fc.constantFrom(
    "machine ",
    "password ",
    "\n",
    "=",
    ":",
    '"',
    "//a/",
    "_authToken",
    "[",
    "]",
    "token",
    "x",
    "https://",
    "@",
    "  ",
  )
  fc.assert(
    fc.property(fc.constantFrom(...formats), fc.array(pieces, { maxLength: 30 }), (format, parts) => {
      let last = 0
      for (const { start, end } of findSecrets(format, parts.join("")) ?? []) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThanOrEqual(start)
        last = end
      }
    }),
    { numRuns: 2000 },
  )
})
