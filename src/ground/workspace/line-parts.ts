/** A command line of which some parts are confined: each is started by a function that the shell reads before the line. */

import type { ConfinedPart } from "#agent/words/boundary.ts"
import type { Program } from "./processes/process-groups.ts"

/** What starts a part: the words of the part follow its own. */
export interface PartStarter extends Pick<ConfinedPart, "at" | "variables"> {
  readonly program: Program
}

export interface LineWithParts {
  readonly command: string
  /** Definitions of the functions that the line calls. */
  readonly functions: string
}

/** Stands for the folder that the shell is in when the part runs. */
export const folderOfPart = "/.folder-of-the-part"

/** The program that starts a part: it looks the part's own program up on the PATH it is given. */
export const starterFile = "/usr/bin/env"

/** `id` makes names that the line itself cannot know. */
export function withConfinedParts(command: string, parts: readonly PartStarter[], id: string): LineWithParts {
  const named = parts.map((part, i) => ({ ...part, name: `__cw_${id.replaceAll("-", "")}_${i}` }))
  let line = command
  for (const { at, name } of named.toSorted((a, b) => b.at - a.at))
    line = `${line.slice(0, at)}${name} ${line.slice(at)}`
  return { command: line, functions: named.map(definition).join("") }
}

function definition({ name, program, variables }: PartStarter & { readonly name: string }): string {
  const { PWD: _, ...env } = program.env
  const words = [
    starterFile,
    "-i",
    ...Object.entries(env).map(([key, value]) => quoted(`${key}=${value}`)),
    `"PWD=$PWD"`,
    ...variables.map((variable) => `\${${variable}+"${variable}=$${variable}"}`),
    quoted(program.file),
    ...program.argv.map((word) => (word === folderOfPart ? `"$PWD"` : quoted(word))),
    `"$@"`,
  ]
  return `${name}() { ${words.join(" ")}; }\nreadonly -f ${name}\n`
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
