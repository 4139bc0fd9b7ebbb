/** Keys of known shapes are masked, everything else is left as it is, and no text takes long. */

import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { maskedJson, maskSecrets } from "#lib/mask-secrets.ts"

/** Made of pieces, so that no scanner takes this file for a leak. */
const of = (character: string, length: number): string =>
  Array.from({ length }, (_, i) => (i % 3 === 0 ? character : "aB3cD4eF5"[i % 9])).join("")
const hex = (length: number): string => Array.from({ length }, (_, i) => "0123456789abcdef"[(i * 7) % 16]).join("")
const upper = (length: number): string => Array.from({ length }, (_, i) => "ABCDEFGH23456789"[(i * 5) % 16]).join("")
const base64 = (length: number): string => of("x", length)

const keys: readonly (readonly [name: string, start: string, rest: string])[] = [
  ["AWS", "AKIA", upper(16)],
  ["AWS, for a session", "ASIA", upper(16)],
  ["GitHub", "ghp_", of("k", 36)],
  ["GitHub app", "ghs_", of("k", 36)],
  ["GitHub fine-grained", "github_pat_", `${of("k", 22)}_${of("m", 59)}`],
  ["GitLab", "glpat-", of("k", 20)],
  ["Anthropic", "sk-ant-", `api03-${of("k", 80)}-${of("z", 8)}AA`],
  ["OpenAI", "sk-proj-", `${of("k", 60)}_${of("k", 20)}`],
  ["OpenAI, older", "sk-", of("k", 48)],
  ["OpenRouter", "sk-or-", `v1-${hex(64)}`],
  ["Google", "AIza", of("k", 35)],
  ["Google, for a session", "ya29.", of("k", 60)],
  ["Slack bot", "xoxb-", `1234567890-1234567890-${of("k", 24)}`],
  ["Slack app", "xapp-", `1-A0123-456-${hex(40)}`],
  ["Stripe", "sk_live_", of("k", 24)],
  ["Stripe, restricted", "rk_test_", of("k", 24)],
  ["Stripe webhook", "whsec_", of("k", 32)],
  ["npm", "npm_", of("k", 36)],
  ["PyPI", "pypi-", `AgEIcHlwaS5vcmc${of("k", 80)}`],
  ["JWT", "eyJ", `hbGciOiJIUzI1NiJ9.eyJ${of("k", 30)}.${of("s", 43)}`],
  ["Azure storage", "AccountKey=", `${base64(86)}==`],
  ["Twilio", "SK", hex(32)],
  ["SendGrid", "SG.", `${of("k", 22)}.${of("s", 43)}`],
  ["Hugging Face", "hf_", of("k", 34)],
  ["DigitalOcean", "dop_v1_", hex(64)],
  ["Databricks", "dapi", hex(32)],
  ["Shopify", "shpat_", hex(32)],
  ["Linear", "lin_api_", of("k", 40)],
  ["Vault", "hvs.", of("k", 90)],
  ["Docker", "dckr_pat_", of("k", 27)],
  ["age", "AGE-SECRET-KEY-1", upper(58)],
  ["Groq", "gsk_", of("k", 52)],
]

const privateKey = (kind = "", lines = 6): string =>
  [`-----BEGIN ${kind}PRIVATE KEY-----`, ...Array(lines).fill(base64(64)), `-----END ${kind}PRIVATE KEY-----`].join(
    "\n",
  )

describe("keys of known shapes", () => {
  test.each(keys)("%s: only its beginning is left, wherever it stands", (_, start, rest) => {
    const key = start + rest
    const masked = `${start}${rest.slice(0, 4)}****`
    expect(maskSecrets(key)).toBe(masked)
    const places: readonly (readonly [string, string])[] = [
      ["KEY=", "\n"],
      ["the key is `", "`."],
      ['{"key":"', '"}'],
      ['"text":"line\\n', '\\nmore"'],
      ["\u001b[31m", "\u001b[0m"],
      ["?token=a%3D", "&b"],
      ["(", ")"],
      ["+ key: '", "'"],
    ]
    for (const [before, after] of places) expect(maskSecrets(before + key + after)).toBe(before + masked + after)
    expect(maskSecrets(`${key} ${key}`)).toBe(`${masked} ${masked}`)
  })

  test("secrets that only their name gives away", () => {
    const secret = of("+", 40)
    expect(maskSecrets(`aws_secret_access_key = ${secret}`)).toBe("aws_secret_access_key = ****")
    expect(maskSecrets(`{"SecretAccessKey": "${secret}"}`)).toBe('{"SecretAccessKey": "****"}')
    expect(maskSecrets(`"{\\"AWS_SECRET_ACCESS_KEY\\": \\"${secret}\\"}"`)).not.toContain(secret)
    expect(maskSecrets(`Authorization: Bearer ${of("k", 32)}`)).toBe("Authorization: Bearer ****")
    expect(maskSecrets("Authorization: Basic dXNlcjpwYXNzd29yZA==")).toBe("Authorization: Basic ****")
    expect(maskSecrets("postgres://app:s3cret-pass@db/x")).toBe("postgres://app:****@db/x")
    expect(maskSecrets(`//registry/:_authToken=${of("k", 36)}`)).not.toContain(of("k", 36))
    expect(maskSecrets(`//registry/:_authToken=npm_${of("k", 36)}`)).toBe(
      `//registry/:_authToken=npm_${of("k", 36).slice(0, 4)}****`,
    )
    expect(maskSecrets(`123456789:AA${of("k", 33)}`)).toBe("123456789:AA****")
    expect(maskSecrets(`abc8Q~${of("k", 34)}`)).toBe("abc8Q~****")
  })

  test.each(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])("a block of a %sprivate key", (kind) => {
    const key = privateKey(kind)
    const masked = `-----BEGIN ${kind}PRIVATE KEY-----****-----END ${kind}PRIVATE KEY-----`
    expect(maskSecrets(`a\n${key}\nb\n${key}`)).toBe(`a\n${masked}\nb\n${masked}`)
    const numbered = key.split("\n").map((line, i) => `${i + 1}\t${line}`)
    const changed = key.split("\n").map((line) => `+${line}`)
    for (const text of [
      numbered.join("\n"),
      changed.join("\n"),
      JSON.stringify(key),
      JSON.stringify({ a: JSON.stringify(key) }),
    ]) {
      expect(maskSecrets(text)).not.toContain(base64(64))
      expect(maskSecrets(text)).toContain("PRIVATE KEY-----****")
    }
  })

  test("a block that is cut off", () => {
    const lines = privateKey("RSA ").split("\n")
    expect(maskSecrets(lines.slice(0, 4).join("\n"))).toBe("-----BEGIN RSA PRIVATE KEY-----****")
    expect(maskSecrets(JSON.stringify(lines.slice(0, 4).join("\n")))).toBe('"-----BEGIN RSA PRIVATE KEY-----****"')
    expect(maskSecrets(`${lines.slice(0, 4).join("\n")}\n\nand more`)).toBe(
      "-----BEGIN RSA PRIVATE KEY-----****\n\nand more",
    )
  })
})

describe("everything else", () => {
  test.each([
    "sk-toggleable__label-arrow and sk-estimator-doc-link",
    "npm_config_registry=https://registry.npmjs.org/ npm_lifecycle_event",
    "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "cache-key-d41d8cd98f00b204e9800998ecf8427e",
    "https://user@host/path https://host:8080/a@b http://[::1]:80/",
    "https://$USER:$PASSWORD@host https://user:<password>@host _authToken=${NPM_TOKEN}",
    "a Bearer token is sent; bearer of good news; Basic authentication",
    "sha512-3a+Kq7xUOxT4h1Bz0m3g0v2Q1bE1G7yC9mQpD5bI0x8v3aXq4dWw== integrity",
    'const begin = "-----BEGIN PRIVATE KEY-----"\nconst end = "-----END PRIVATE KEY-----"',
    "if (line.startsWith('-----BEGIN RSA PRIVATE KEY-----'))\n  returnTheWholeThingWithoutLookingAtItOnceMoreHere()",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIU\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "AKIA is how access keys begin, as in AKIAEXAMPLE",
    "pk_live_ is not secret, and ghp_short neither",
    "SKIP 0123456789 sklearn sk-1 hf_hub_download gsk_x",
    "e.g. eyJ.eyJ. and eyJhbGciOiJIUzI1NiJ9",
  ])("%j is left as it is", (text) => expect(maskSecrets(text)).toBe(text))

  test("this repository's own source is left as it is", async () => {
    const changed: string[] = []
    for await (const file of new Bun.Glob("src/**/*.ts").scan()) {
      const text = await Bun.file(file).text()
      if (maskSecrets(text) !== text) changed.push(file)
    }
    expect(changed).toEqual([])
  })

  const words = fc.array(fc.stringMatching(/^[a-zäöü ,.;:()\n'"{}<>=-]{0,12}$/)).map((parts) => parts.join(" "))
  test("prose and code without keys is left as it is, and a key in it is all that changes", () => {
    fc.assert(fc.property(words, (text) => expect(maskSecrets(text)).toBe(text)))
    fc.assert(
      fc.property(words, fc.constantFrom(...keys), words, (before, [, start, rest], after) => {
        const [head, tail] = [`${before} `, ` ${after}`]
        expect(maskSecrets(head + start + rest + tail)).toBe(`${head}${start}${rest.slice(0, 4)}****${tail}`)
      }),
    )
  })

  test("masking twice is masking once", () => {
    const all = [
      ...keys.map(([, start, rest]) => start + rest),
      privateKey(),
      "https://a:secret@b",
      `Bearer ${of("k", 30)}`,
    ]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...all), fc.string(), fc.constantFrom(...all, "_authToken=", "sk-", "://"))),
        (parts) => {
          const once = maskSecrets(parts.join(""))
          expect(maskSecrets(once)).toBe(once)
        },
      ),
    )
  })
})

test("in JSON every text is masked, and pictures are not", () => {
  const key = `ghp_${of("k", 36)}`
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: `/ghp_${of("k", 36)}` } }
  const text = maskedJson({ a: [key, { b: privateKey() }], [`x`]: 1, image })
  expect(JSON.parse(text)).toEqual({
    a: [`ghp_${of("k", 36).slice(0, 4)}****`, { b: "-----BEGIN PRIVATE KEY-----****-----END PRIVATE KEY-----" }],
    x: 1,
    image,
  })
})

test("in JSON the lines of a private key may be a text each", () => {
  const lines = privateKey("RSA ").split("\n")
  const told = lines.map((text) => ({ kind: "add", text: `+${text}` }))
  const masked: { text: string }[] = JSON.parse(maskedJson([...told, { text: base64(64) }]))
  expect(masked.map(({ text }) => text)).toEqual([
    "+-----BEGIN RSA PRIVATE KEY-----",
    ...Array(6).fill("****"),
    "+-----END RSA PRIVATE KEY-----",
    base64(64),
  ])
  const cut = [lines[0], lines[1], "and then something else is said in words", base64(64)]
  expect(JSON.parse(maskedJson(cut))).toEqual([lines[0], "****", cut[2], base64(64)])
})

/** What takes a careless expression very long: beginnings without ends, again and again, and long runs of one kind. */
const hard: readonly string[] = [
  ...keys.flatMap(([, start, rest]) => [start, start + rest.slice(0, 9)]),
  "eyJaaaaaaaaaa.eyJaaaaaaaaaa",
  "-eyJ",
  "eyJ-eyJ_",
  "-----BEGIN RSA PRIVATE KEY-----\n",
  "-----END RSA PRIVATE KEY-----\n",
  "-----BEGIN ",
  "-----BEGIN PRIVATE KEY-----\n1234567890123456 ",
  "://a:",
  "://a:b",
  "_authToken=a",
  "bearer abc",
  "secret_access_key=",
  "a",
  "A",
  "0",
  "\\n",
  "\n",
  " ",
  "=",
  "x.",
  "0Q~",
  "1:AA",
]

test("the work that a text takes grows with its length and no faster", () => {
  // The time of this process alone, so that a busy machine changes nothing.
  const cost = (text: string): number => {
    const runs = [0, 1].map(() => {
      const before = process.cpuUsage()
      maskSecrets(text)
      const { user, system } = process.cpuUsage(before)
      return user + system
    })
    return Math.min(...runs)
  }
  const steep = hard.flatMap((piece) => {
    const flat = (length: number): string => Buffer.from(piece.repeat(Math.ceil(length / piece.length))).toString()
    const [small, large] = [cost(flat(10_000)), cost(flat(160_000))]
    // Sixteen times the text is sixteen times the work; with a square it would be 256 times, and worse with more.
    return large > 100 * Math.max(small, 1_000) ? [`${JSON.stringify(piece)}: ${small}, ${large} microseconds`] : []
  })
  expect(steep).toEqual([])
}, 300_000)
