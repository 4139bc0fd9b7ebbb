/**
 * sed scripts, parsed like sed, as far as they only change what is printed: addresses, `s`, `y`, `p`, `d` and the like.
 */

/** Whether every command of a script is on the list; `w`, `e`, `r` and their flags are not, nor is anything unknown. */
export const onlyPrints = (script: string): boolean => readsWhole(script, command)

/** The same with labels and jumps, which may never end, but write and run nothing. */
export const printsOrLoops = (script: string): boolean =>
  readsWhole(script, (text, at) => {
    const plain = command(text, at)
    return plain === at ? skip(/(?::[ \t]*[\w.-]+|[btT](?:[ \t]*[\w.-]+)?)[ \t]*(?=[;\n}]|$)/y, text, at) : plain
  })

function readsWhole(script: string, end: (script: string, at: number) => number): boolean {
  let at = 0
  let depth = 0
  for (;;) {
    at = skip(/[ \t\n;]*/y, script, at)
    if (at === script.length) return depth === 0
    if (script[at] === "}") {
      if (--depth < 0) return false
      const after = skip(/\}[ \t]*(?=[;\n}]|$)/y, script, at)
      if (after === at) return false
      at = after
      continue
    }
    at = skip(addresses, script, at)
    const open = skip(/\{/y, script, at)
    if (open !== at) {
      depth++
      at = open
      continue
    }
    const after = end(script, at)
    if (after === at) return false
    at = after
  }
}

/** A line, the last line, a step, or a pattern in which no delimiter can hide between brackets. */
const line = String.raw`\d+(?:~\d+)?|\$`
const pattern = String.raw`\/(?:[^\/\\\[\]\n]|\\[^\n]|\[\^?\]?[^\/\\\[\]\n]*\])+\/I?`
const address = `(?:${line}|${pattern})`
const addresses = new RegExp(`(?:${address}(?:,(?:${address}|[+~]\\d+))?)?[ \\t]*!?[ \\t]*`, "y")

/** Where the command that starts at an index ends; the index itself when it is not on the list. */
function command(script: string, at: number): number {
  const plain = skip(/[pdDPnNgGhHxl=][ \t]*(?=[;\n}]|$)|[qQ]\d*[ \t]*(?=[;\n}]|$)/y, script, at)
  if (plain !== at) return plain
  // The text extends to the end of the script, so that nothing can follow it.
  const inserted = skip(/[aic](?:\\(?=[^\n\\])|[ \t])[^\n\\]+$/y, script, at)
  if (inserted !== at) return inserted
  const kind = script[at]
  const delimiter = script[at + 1] ?? ""
  if ((kind !== "s" && kind !== "y") || !/^[/|#,:@!%~+_=]$/.test(delimiter)) return at
  const middle = part(script, at + 2, delimiter)
  const last = middle === -1 ? -1 : part(script, middle, delimiter)
  if (last === -1) return at
  const flags = kind === "s" ? /[gpiI0-9]*[ \t]*(?=[;\n}]|$)/y : /[ \t]*(?=[;\n}]|$)/y
  flags.lastIndex = last
  return flags.test(script) ? flags.lastIndex : at
}

/** After the delimiter that ends a part; -1 when it does not end, or some seds would see it end elsewhere. */
function part(script: string, from: number, delimiter: string): number {
  let brackets = false
  for (let at = from; at < script.length; at++) {
    const char = script[at]
    if (char === "\n") return -1
    if (char === "\\") {
      // Behind a backslash no sed sees the end, between brackets or not.
      if (script[at + 1] === "\n") return -1
      at++
    } else if (char === "[" && !brackets) {
      brackets = true
      if (script[at + 1] === "^") at++
      if (script[at + 1] === "]") at++
    } else if (char === "[" && /[:.=]/.test(script[at + 1] ?? "")) {
      const close = script.indexOf(`${script[at + 1]}]`, at + 2)
      if (close === -1 || script.slice(at, close).includes(delimiter)) return -1
      at = close + 1
    } else if (char === "]") brackets = false
    // A delimiter between brackets ends the part for some seds and not for others.
    else if (char === delimiter) return brackets ? -1 : at + 1
  }
  return -1
}

function skip(what: RegExp, text: string, at: number): number {
  what.lastIndex = at
  return what.test(text) ? what.lastIndex : at
}
