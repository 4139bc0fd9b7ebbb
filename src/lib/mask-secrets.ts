/** Masks keys and tokens of known shapes in text that leaves the machine: exports, debug logs, reports. */

import { isObject } from "./json.ts"
import { lazily } from "./lazily.ts"

/** How many characters stay visible after the shared prefix, so that users can recognise their key. */
const shownCharacters = 4
const mask = "****"

/**
 * The prefix of every such key, and what follows. `word`: the prefix could occur inside an ordinary word, so it must
 * not follow one directly.
 */
type KeyShape = readonly [start: string, rest: string, where?: "word"]

const shapes: readonly KeyShape[] = [
  // Clouds and hosts.
  ["AKIA", "[A-Z0-9]{16}(?![A-Za-z0-9])", "word"],
  ["ASIA", "[A-Z0-9]{16}(?![A-Za-z0-9])", "word"],
  ["ABIA", "[A-Z0-9]{16}(?![A-Za-z0-9])", "word"],
  ["ACCA", "[A-Z0-9]{16}(?![A-Za-z0-9])", "word"],
  ["ABSKQmVkcm9jaw", "[A-Za-z0-9+/=]{40,}"],
  ["AIza", "[\\w-]{35}(?![\\w-])", "word"],
  ["ya29.", "[\\w-]{20,}", "word"],
  ["GOCSPX-", "[\\w-]{20,}"],
  ["1//0", "[\\w-]{40,}", "word"],
  ["AccountKey=", "[A-Za-z0-9+/]{40,}={0,2}"],
  ["SharedAccessKey=", "[A-Za-z0-9+/]{40,}={0,2}"],
  ["&sig=", "[\\w%+/=-]{40,}"],
  ["?sig=", "[\\w%+/=-]{40,}"],
  ["LTAI", "[A-Za-z0-9]{12,20}(?![A-Za-z0-9])", "word"],
  ["AKID", "[A-Za-z0-9]{32}(?![A-Za-z0-9])", "word"],
  ["doo_v1_", "[a-f0-9]{64}"],
  ["dop_v1_", "[a-f0-9]{64}"],
  ["dor_v1_", "[a-f0-9]{64}"],
  ["fm1_", "[A-Za-z0-9+/=_-]{60,}", "word"],
  ["fm2_", "[A-Za-z0-9+/=_-]{60,}", "word"],
  ["HRKU-", "[\\w-]{20,}"],
  ["rnd_", "[A-Za-z0-9]{32}(?![A-Za-z0-9])", "word"],
  ["dapi", "[a-f0-9]{32}(?![A-Za-z0-9])", "word"],
  ["sbp_", "[a-f0-9]{40}"],
  ["sb_secret_", "[\\w-]{20,}"],
  ["pscale_tkn_", "[\\w.=-]{32,}"],
  ["pscale_pw_", "[\\w.=-]{32,}"],
  ["tskey-", "[\\w-]{20,}"],
  // Code and packages.
  ["ghp_", "[A-Za-z0-9]{30,}"],
  ["gho_", "[A-Za-z0-9]{30,}"],
  ["ghu_", "[A-Za-z0-9]{30,}"],
  ["ghs_", "[A-Za-z0-9]{30,}"],
  ["ghr_", "[A-Za-z0-9]{30,}"],
  ["github_pat_", "\\w{22,}"],
  ["glpat-", "[\\w-]{20,}"],
  ["gldt-", "[\\w-]{20,}"],
  ["glrt-", "[\\w-]{20,}"],
  ["glcbt-", "[\\w-]{20,}"],
  ["glptt-", "[\\w-]{20,}"],
  ["glagent-", "[\\w-]{20,}"],
  ["gloas-", "[\\w-]{20,}"],
  ["glsoat-", "[\\w-]{20,}"],
  ["ATATT3", "[\\w=-]{60,}"],
  ["bkua_", "[a-f0-9]{40}"],
  ["CCIPAT_", "\\w{30,}"],
  ["dckr_pat_", "[\\w-]{20,}"],
  ["npm_", "[A-Za-z0-9]{36}(?![A-Za-z0-9])"],
  ["_authToken=", "(?![^\\s\"']{0,300}\\*)[^\\s\"'$]{8,}"],
  ["pypi-", "[\\w-]{50,}"],
  ["rubygems_", "[a-f0-9]{48}"],
  ["oy2", "[a-z0-9]{43}(?![A-Za-z0-9])", "word"],
  ["sntrys_", "[\\w+/=-]{40,}"],
  ["sntryu_", "[a-f0-9]{64}"],
  ["PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}"],
  ["figd_", "[\\w-]{36,}"],
  ["lin_api_", "[A-Za-z0-9]{32,}"],
  ["ntn_", "[A-Za-z0-9]{40,}", "word"],
  ["secret_", "[A-Za-z0-9]{43}(?![A-Za-z0-9_])"],
  ["glc_", "[A-Za-z0-9+/]{32,}={0,2}", "word"],
  ["glsa_", "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"],
  ["NRAK-", "[A-Z0-9]{27}"],
  ["hvs.", "[\\w-]{24,}", "word"],
  ["hvb.", "[\\w-]{24,}", "word"],
  [".atlasv1.", "[\\w-]{60,}"],
  ["AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"],
  ["ops_eyJ", "[\\w-]{100,}"],
  // Models.
  ["sk-ant-", "[\\w-]{20,}"],
  ["sk-proj-", "[\\w-]{20,}"],
  ["sk-svcacct-", "[\\w-]{20,}"],
  ["sk-admin-", "[\\w-]{20,}"],
  ["sk-or-", "[\\w-]{20,}"],
  ["sk-lf-", "[\\w-]{20,}"],
  ["sk-", "[A-Za-z0-9]{32,}", "word"],
  ["gsk_", "[A-Za-z0-9]{40,}", "word"],
  ["hf_", "[A-Za-z0-9]{30,}", "word"],
  ["api_org_", "[A-Za-z0-9]{30,}"],
  ["pplx-", "[A-Za-z0-9]{40,}", "word"],
  ["r8_", "[A-Za-z0-9]{37}(?![A-Za-z0-9])", "word"],
  ["xai-", "[A-Za-z0-9]{60,}", "word"],
  // Messages and money.
  ["xoxa-", "[A-Za-z0-9-]{10,}"],
  ["xoxb-", "[A-Za-z0-9-]{10,}"],
  ["xoxe-", "[A-Za-z0-9-]{10,}"],
  ["xoxe.xox", "[A-Za-z0-9.-]{10,}"],
  ["xoxo-", "[A-Za-z0-9-]{10,}"],
  ["xoxp-", "[A-Za-z0-9-]{10,}"],
  ["xoxr-", "[A-Za-z0-9-]{10,}"],
  ["xoxs-", "[A-Za-z0-9-]{10,}"],
  ["xapp-", "[A-Za-z0-9-]{20,}"],
  ["hooks.slack.com/services/", "[A-Za-z0-9/]{20,}"],
  ["discord.com/api/webhooks/", "\\d{5,20}/[\\w-]{40,}"],
  ["SG.", "[\\w-]{16,32}\\.[\\w-]{16,64}", "word"],
  ["SK", "[a-f0-9]{32}(?![A-Za-z0-9])", "word"],
  ["sk_live_", "[A-Za-z0-9]{16,}"],
  ["sk_test_", "[A-Za-z0-9]{16,}"],
  ["rk_live_", "[A-Za-z0-9]{16,}"],
  ["rk_test_", "[A-Za-z0-9]{16,}"],
  ["whsec_", "[A-Za-z0-9+/=]{24,}"],
  ["shpat_", "[A-Fa-f0-9]{32}"],
  ["shpca_", "[A-Fa-f0-9]{32}"],
  ["shppa_", "[A-Fa-f0-9]{32}"],
  ["shpss_", "[A-Fa-f0-9]{32}"],
  ["sq0atp-", "[\\w-]{22,}"],
  ["sq0csp-", "[\\w-]{40,}"],
  // Signed tokens: header, payload, signature.
  ["eyJ", "[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]*", "word"],
]

/**
 * Not preceded by a word character; the end of a JSON or URL escape, or of a terminal colour, does not count as one.
 */
const notInWord =
  '(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrtbf"])|(?<=\\\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2})|(?<=\\u001b\\[[0-9;]{0,12}m))'

interface Rule {
  readonly start: string
  /** Made when it is needed: there are more than a hundred, and most are never. */
  readonly pattern: () => RegExp
}

const rules = lazily((): readonly Rule[] =>
  shapes.map(([start, rest, where]) => ({
    start,
    pattern: lazily(() => new RegExp(`${where === "word" ? notInWord : ""}${RegExp.escape(start)}${rest}`, "g")),
  })),
)

/** Secrets without a shape of their own, recognised by the name before them. The first group stays. */
const named: readonly { readonly hint: RegExp; readonly pattern: RegExp }[] = [
  {
    hint: /secret_?access_?key/i,
    pattern:
      /(secret_?access_?key[\\"']{0,3}\s{0,4}[=:]{1,2}\s{0,4}[\\"']{0,3})(?:[A-Za-z0-9+/]|\\\/){40}(?![A-Za-z0-9+/=])/gi,
  },
  { hint: /bearer /i, pattern: /(bearer (?=[A-Za-z._~+/-]{0,60}\d))[\w.~+/-]{20,}={0,2}/gi },
  {
    hint: /basic /i,
    pattern: /(authorization[\\"']{0,3}\s{0,4}[=:]\s{0,4}[\\"']{0,3}basic )[A-Za-z0-9+/]{8,}={0,2}/gi,
  },
  { hint: /:\/\//, pattern: /((?<=:\/\/)[^\s/:@"'<>]{0,100}:)[^\s/@"'<>${}*]{3,200}(?=@)/g },
  { hint: /:AA/, pattern: /((?<!\d)\d{8,10}:AA)[\w-]{33}(?![\w-])/g },
  { hint: /Q~/, pattern: /((?<![\w~.-])[\w~.]{3}\dQ~)[\w~.-]{31,34}(?![\w~-])/g },
]

/** The same key always becomes the same mask. */
export function maskSecrets(text: string): string {
  if (!mayHold.test(text)) return text
  const masked = maskOnce(text)
  // Where keys touch, one that is masked may uncover the beginning of the next.
  return masked === text ? text : maskSecrets(masked)
}

/** No key is shorter than this, apart from those after a name. */
const mayHold = /[\w+/=.-]{16}|:\/\/|basic /i

function maskOnce(text: string): string {
  let masked = maskPrivateKeys(text)
  for (const { start, pattern } of rules())
    // A plain substring search costs almost nothing, and most texts contain none of these.
    if (masked.includes(start))
      masked = masked.replace(pattern(), (key) => `${key.slice(0, start.length + shownCharacters)}${mask}`)
  for (const { hint, pattern } of named)
    if (hint.test(masked)) masked = masked.replace(pattern, (_, before: string) => `${before}${mask}`)
  return masked
}

const keyMark = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g

/** No private key is longer, even with line numbers and diff marks before its lines. */
const longestKey = 32_000

/** A line of a key, whatever precedes it; also where line ends are escaped. */
const keyLine = /[A-Za-z0-9+/]{40}/

/** The remaining lines of a key that is cut off. */
const keyLines =
  /^(?:(?:\s|\\n|\\r){1,4}[ \t\d+|>→-]{0,16}(?:[A-Za-z-]{3,20}: [^\n]{0,80}|[A-Za-z0-9+/=]{40,}))+(?:(?:\s|\\n|\\r){1,4}[ \t\d+|>→-]{0,16}[A-Za-z0-9+/]{4,}={0,2})?/

function maskPrivateKeys(text: string): string {
  if (!text.includes("PRIVATE KEY")) return text
  const marks = [...text.matchAll(keyMark)]
  const parts: string[] = []
  let at = 0
  for (const [i, begin] of marks.entries()) {
    if (begin[1] !== "BEGIN") continue
    const from = begin.index + begin[0].length
    const next = marks[i + 1]
    const end = next?.[1] === "END" && next.index - from <= longestKey ? next.index : undefined
    const to = endOfKey(text, from, end, next?.index)
    if (to === from) continue
    parts.push(text.slice(at, from), mask)
    at = to
  }
  return [...parts, text.slice(at)].join("")
}

/** Where the body of a key that starts at `from` ends; `from` itself when there is none. */
function endOfKey(text: string, from: number, end: number | undefined, next: number | undefined): number {
  if (end !== undefined) return keyLine.test(text.slice(from, end)) ? end : from
  const lines = keyLines.exec(text.slice(from, Math.min(next ?? text.length, from + longestKey)))
  return from + (lines?.[0].length ?? 0)
}

/** As JSON with every string masked. Pictures and documents stay as they are. */
export function maskedJson(value: unknown, space?: number): string {
  const next = openMasking()
  return JSON.stringify(
    value,
    function (this: unknown, key: string, inner: unknown): unknown {
      if (typeof inner !== "string") return inner
      return key === "data" && isObject(this) && typeof this.media_type === "string" ? inner : next(inner)
    },
    space,
  )
}

/** Stateful: each line of a private key may be a string of its own. */
function openMasking(): (text: string) => string {
  let isInKey = false
  return (text) => {
    const marks = [...text.matchAll(keyMark)]
    const [first] = marks
    const wasInKey = isInKey
    if (first) isInKey = marks.at(-1)?.[1] === "BEGIN"
    if (!wasInKey) return maskSecrets(text)
    if (first?.[1] === "END" && first.index > 2) return `${mask}${maskSecrets(text.slice(first.index))}`
    if (!first && loneKeyLine.test(text)) return mask
    // Other content follows: the key was cut off.
    if (!first && text.length > longestMark) isInKey = false
    return maskSecrets(text)
  }
}

/** Between the lines of a key there are only short strings, which name the kind of line. */
const longestMark = 24

/** A line of a key and nothing else, also its last one, after a line number or diff mark. */
const loneKeyLine = /^[ \t\d+|>→-]{0,16}[A-Za-z0-9+/]{16,}={0,2}\s*$/
