/** What an agent and a person do at random in a tree: everything that undo has to undo. */

import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import type { Ids } from "#lib/ids.ts"
import type { TreeState } from "./tree.ts"
import type { UndoWorld } from "./world.ts"

export interface Chooser {
  readonly below: (most: number) => number
  readonly one: <T>(list: readonly T[]) => T
}

export function openChooser({ random }: Ids): Chooser {
  const below = (most: number): number => Math.floor(random() * most)
  return {
    below,
    one: (list) => {
      const chosen = list[below(list.length)]
      if (chosen === undefined) throw new Error("nothing to choose from")
      return chosen
    },
  }
}

const pathsOf = (tree: TreeState, kind: string): string[] =>
  [...tree].filter(([, state]) => state.startsWith(kind)).map(([path]) => path)

/** One thing that an agent does. */
export async function actOfAgent(world: UndoWorld, tree: TreeState, { below, one }: Chooser): Promise<string> {
  const files = pathsOf(tree, "f")
  const folders = pathsOf(tree, "d").filter((path) => path.split("/").length > world.root.split("/").length + 2)
  const file = files.length > 0 ? one(files) : join(world.root, "first.txt")
  const name = `made-${below(1_000_000)}`
  const relative = (path: string): string => `'${path.slice(world.root.length + 1)}'`
  const folder = folders.length > 0 ? one(folders) : world.root
  const commands: readonly string[] = [
    `rm -rf ${relative(folder)}`,
    `sed -i 's/1/one/g' ${relative(file)}`,
    `mv ${relative(file)} ${name}.moved`,
    `mv ${relative(folder)} ${name}-folder`,
    "git clean -fdq",
    "git clean -fdxq",
    "git checkout -q -- .",
    `chmod ${one(["600", "755", "444", "640"])} ${relative(file)}`,
    `chmod ${one(["700", "555", "775"])} ${relative(folder)}`,
    `ln -sfn ${relative(file)} ${name}.link`,
    `rm -f to-folder && ln -s ${name} to-folder`,
    `head -c ${1 + below(5000)} /dev/urandom > ${name}.bin`,
    `printf 'a\\r\\nb\\r\\n' > ${name}.crlf`,
    `mkdir -p ${name}/a/b && touch ${name}/a/b/empty`,
    `cp -a ${relative(folder)} ${name}-copy`,
    `rm -f ${relative(file)} && mkdir ${relative(file)} && echo x > ${relative(file)}/inner`,
    `rm -rf ${relative(folder)} && echo now-a-file > ${relative(folder)}`,
    `echo more >> ${relative(file)}`,
    `find . -name '*.log' -delete`,
    `rmdir empty || mkdir empty`,
    "true",
  ]
  switch (below(8)) {
    case 0: {
      const made = join(world.root, `${name}-new`, "inside", "file.ts")
      await world.edit(made, () => {
        mkdirSync(dirname(made), { recursive: true })
        writeFileSync(made, `made ${name}\n`)
      })
      return `write ${made}`
    }
    case 1:
    case 2:
      await world.edit(file, () => {
        // The same length as before, and at once: only a close look finds it.
        const bytes = readFileSync(file)
        writeFileSync(
          file,
          bytes.map((byte) => byte ^ 1),
        )
      })
      return `edit ${file}`
    default: {
      const command = one(commands)
      await world.shell(command)
      return command
    }
  }
}

/** One thing that the person does meanwhile, to plain files only. */
export function actOfPerson(world: UndoWorld, tree: TreeState, { below, one }: Chooser): string {
  const files = pathsOf(tree, "f").filter((path) => isWritable(path))
  const file = files.length > 0 ? one(files) : join(world.root, "person.txt")
  switch (below(4)) {
    case 0:
      rmSync(file, { force: true })
      return `person removes ${file}`
    case 1: {
      const made = join(existsSync(dirname(file)) ? dirname(file) : world.root, `person-${below(1_000_000)}.txt`)
      writeFileSync(made, "mine\n")
      return `person makes ${made}`
    }
    case 2:
      if (existsSync(file)) chmodSync(file, 0o664)
      return `person changes the mode of ${file}`
    default:
      appendFileSync(file, `mine ${below(1_000_000)}\n`)
      return `person edits ${file}`
  }
}

function isWritable(path: string): boolean {
  return (lstatSync(path).mode & 0o200) !== 0 && (lstatSync(dirname(path)).mode & 0o300) === 0o300
}
