/** The available output styles, and the chosen one. A choice applies when a conversation next starts over. */

import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { builtinStyles } from "./builtins.ts"
import { decodeStyle, type Style, type StyleFile } from "./style.ts"

export interface Styles {
  readonly chosen: () => Style
  readonly names: () => readonly string[]
  readonly list: () => readonly Style[]
  /** The failure is a message for the user. */
  readonly choose: (name: string) => Result<Style, string>
}

export interface StylePorts {
  readonly name: string | undefined
  /** Nearest first. */
  readonly files: () => readonly StyleFile[]
  readonly warn: (text: string) => void
}

export function openStyles(ports: StylePorts): Styles {
  let name = ports.name
  const warned = new Set<string>()

  function warnOnce(text: string): void {
    if (warned.has(text)) return
    warned.add(text)
    ports.warn(text)
  }

  const list = (): readonly Style[] => {
    const files = ports.files().flatMap((file) => {
      const style = decodeStyle(file)
      if (!style.ok) warnOnce(style.failure)
      return style.ok && style.value ? [style.value] : []
    })
    const seen = new Set<string>()
    return [...builtinStyles, ...files].filter((style) => !seen.has(keyOf(style.name)) && seen.add(keyOf(style.name)))
  }

  function find(wanted: string): Result<Style, string> {
    const all = list()
    const found = all.find((style) => keyOf(style.name) === keyOf(wanted))
    if (found) return ok(found)
    const names = all.map((style) => style.name)
    const near = nearNames(wanted, names, 2)
    return failed(
      `There is no output style ${wanted}. ${near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are ${names.join(", ")}.`}`,
    )
  }

  return {
    chosen() {
      // Without a choice no file is read.
      if (name === undefined || keyOf(name) === usual.name) return usual
      const found = find(name)
      if (found.ok) return found.value
      warnOnce(`${found.failure} The usual one is used.`)
      return usual
    },
    names: () => list().map((style) => style.name),
    list,
    choose(wanted) {
      const found = find(wanted)
      if (found.ok) name = found.value.name
      return found
    },
  }
}

const usual: Style = { name: "default", description: "", text: "", keepsCoding: true }

const keyOf = (name: string): string => name.trim().toLowerCase()
