/** Connections and ports, where they are only listed, and no name server is asked about a host. */

import type { Argument } from "#ground/workspace/shell/argument.ts"
import type { Table } from "#ground/workspace/shell/programs/program.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import { isIp } from "#lib/ip.ts"
import { lazily } from "#lib/lazily.ts"
import { allAsking } from "./asking.ts"

const asksNameServer = "it would look a name up at a name server"

export const network: () => Table = lazily(() => allAsking("machine", ports()))

const ports = (): Table => ({
  // No -f, -i and -d: they look the machine's own name up.
  hostname: { flags: "-s -I", asks: ({ flags }) => (flags.has("-I") ? "machine" : "nothing") },
  lsof: {
    flags: "-i?text -n -P -t -a -s?word -c:word -p:word -u:word",
    operands: "word?",
    unless: lsofObjection,
  },
  fuser: {
    // Ports alone: no -k, which ends whoever uses them, and no files.
    flags: "-4 -6 -v -n:word --verbose --ipv4 --ipv6 --namespace:word",
    operands: "text+",
    unless: portsObjection,
  },
  ss: {
    // No -K, which ends connections, no -D and no -F, and no -r, which turns addresses into names.
    flags:
      "-a -l -t -u -w -x -n -p -e -m -o -i -s -4 -6 -H -O --all --listening --tcp --udp --unix --numeric --processes --summary --extended --options --info --ipv4 --ipv6 --no-header --oneline",
    operands: "text*",
    unless: ({ operands }) => (isFilter(operands) ? undefined : asksNameServer),
  },
  netstat: {
    // No -i, which needs a socket of its own.
    flags: "-a -l -t -u -n -p -r -s -e -4 -6 -W",
    operands: "",
    unless: ({ flags }) => (flags.has("-n") || (flags.size === 1 && flags.has("-s")) ? undefined : asksNameServer),
  },
})

function portsObjection({ values, operands }: Sorted): string | undefined {
  const spaces = values.map(({ value }) => value.text)
  const port = spaces.length === 0 ? /^\d+\/(?:tcp|udp)$/ : /^\d+$/
  return spaces.every((text) => text === "tcp" || text === "udp") &&
    operands.every(({ kind, text }) => kind === "exact" && port.test(text))
    ? undefined
    : "it could look at files"
}

/** What lsof may be asked for: `4tcp@127.0.0.1:80,443`, with all parts or some. */
const connection = /^[46]?(?:tcp|udp|udplite|icmp)?(?:@([^@:[\]]+|\[[^@[\]]+\]))?(?::[\w,-]+)?$/i

/** The value of -i may also be in the next word. */
function lsofObjection({ flags, values, operands }: Sorted): string | undefined {
  // A plus sign begins flags of another kind.
  if (operands.some(({ text }) => text.startsWith("+"))) return "it begins with a plus sign"
  // What else others have open cannot be seen in any sandbox.
  if (!flags.has("-i")) return "it looks into the open files of other programs"
  const asked = values.filter(({ flag }) => flag === "-i").map(({ value }) => value)
  return [...asked, ...(flags.has("-i") ? operands : [])].every(namesNoHost) ? undefined : asksNameServer
}

function namesNoHost({ kind, text }: Argument): boolean {
  const found = connection.exec(text)
  return kind === "exact" && found !== null && (found[1] === undefined || isAddress(found[1]))
}

// The runtime has these too, in a module that takes longer to load than all of the analysis.
const isIPv4 = (text: string): boolean => /^[\d.]+$/.test(text) && isIp(text)
const isIPv6 = (text: string): boolean => /^(?!.*[^:]:(?:%|$))[^%]*:[^%]*(?:%[0-9a-z.-]+)?$/i.test(text) && isIp(text)

const isAddress = (text: string): boolean =>
  isIPv4(text) || (text.startsWith("[") && text.endsWith("]") && isIPv6(text.slice(1, -1)))

const states: ReadonlySet<string> = new Set(
  "all connected synchronized bucket big established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait closed close-wait last-ack listening listen closing".split(
    " ",
  ),
)

/** Connectives of an ss filter. Every other word is a host and its port. */
const connectives: ReadonlySet<string> = new Set(
  "( ) ! not & && and | || or = == eq != ne neq > gt >= ge geq < lt <= le leq src dst sport dport".split(" "),
)

/** `state NAME` any number of times, and then words between spaces, in one argument or several. */
function isFilter(operands: readonly Argument[]): boolean {
  if (!operands.every(({ kind }) => kind === "exact")) return false
  const texts = operands.map(({ text }) => text)
  let at = 0
  for (; texts[at] === "state" || texts[at] === "exclude"; at += 2) if (!states.has(texts[at + 1] ?? "")) return false
  const words = texts.slice(at).flatMap((text) => text.split(" "))
  return words.every((word) => word === "" || connectives.has(word) || isHostInNumbers(word))
}

/** `10.0.0.0/8`, `127.0.0.1:80`, `[::1]:80`, `:https`, `*:80`. */
function isHostInNumbers(word: string): boolean {
  const [, host, mask] = /^(\*|[\d.]+|\[[^[\]]+\])?(?:\/(\d+))?(?::(?:\*|\d+|https?|ssh|domain))?$/.exec(word) ?? []
  if (host === undefined) return mask === undefined && word.startsWith(":")
  if (mask !== undefined) return isIPv4(host) && Number(mask) <= 32
  return host === "*" || isAddress(host)
}
