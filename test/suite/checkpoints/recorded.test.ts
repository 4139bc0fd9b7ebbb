/** Recorded commands, at random over random trees: a rewind makes every byte, mode, time and link what it was. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { lazily } from "#lib/lazily.ts"
import { reachableConfine } from "../../kit/confine.ts"
import { openUndoWorld } from "../../kit/undo/world.ts"

const stories = Number(process.env.CODEWRIGHT_UNDO_STORIES ?? 15)
const seed = process.env.CODEWRIGHT_UNDO_SEED
/** So many wait for each other's commands: a story is mostly that. */
const shards = Math.min(4, Math.ceil(stories / 100))
const signal = new AbortController().signal

/** Names are few, so that commands meet each other, and odd, so that quoting and order matter. */
const names = ["a", "b", "c d", "é", "-x", ".hidden", "a\nb", "node_modules"]
const name = fc.constantFrom(...names)
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `./${parts.join("/")}`)
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
const mode = fc.constantFrom("600", "644", "755", "400", "4755")

const making = fc.oneof(
  fc
    .tuple(path, fc.nat(300))
    .map(([at, size]) => `mkdir -p "$(dirname ${quoted(at)})"; head -c ${size} /dev/urandom > ${quoted(at)}`),
  fc.tuple(path, path).map(([to, at]) => `mkdir -p "$(dirname ${quoted(at)})"; ln -s ${quoted(to)} ${quoted(at)}`),
  path.map((at) => `mkdir -p ${quoted(at)}`),
  fc.tuple(path, mode).map(([at, bits]) => `[ -f ${quoted(at)} ] && chmod ${bits} ${quoted(at)}`),
  fc
    .tuple(path, fc.nat(1_000_000))
    .map(([at, ms]) => `[ -f ${quoted(at)} ] && touch -d @${1_600_000_000 + ms}.${ms} ${quoted(at)}`),
)

const changing = fc.oneof(
  making,
  path.map((at) => `rm -rf ${quoted(at)}`),
  fc.tuple(path, path).map(([from, to]) => `mv -f ${quoted(from)} ${quoted(to)}`),
  fc.tuple(path, path).map(([from, to]) => `mv -fT ${quoted(from)} ${quoted(to)}`),
  fc.tuple(path, path).map(([from, to]) => `cp -a ${quoted(from)} ${quoted(to)}`),
  fc.tuple(path, path).map(([from, to]) => `ln ${quoted(from)} ${quoted(to)} && echo by-the-new-name >> ${quoted(to)}`),
  path.map((at) => `echo more >> ${quoted(at)}`),
  path.map((at) => `: > ${quoted(at)}`),
  path.map((at) => `sed -i 's/[a-f]/X/g' ${quoted(at)}`),
  path.map((at) => `printf Z | dd of=${quoted(at)} conv=notrunc status=none`),
  path.map((at) => `truncate -s 5 ${quoted(at)}`),
  path.map((at) => `exec 3<>${quoted(at)}; rm -f ${quoted(at)}; echo late >&3`),
  path.map((at) => `find ${quoted(at)} -type f -delete`),
  path.map((at) => `tar cf - . 2>/dev/null | (mkdir -p ${quoted(at)} && cd ${quoted(at)} && tar xf -)`),
  fc.tuple(path, mode).map(([at, bits]) => `chmod ${bits} ${quoted(at)}`),
  path.map((at) => `cd ${quoted(at)} && echo inside > new && rm -f a`),
  path.map((at) => `perl -e 'rename $ARGV[0], "swapped"; open F, ">", $ARGV[0] and print F "n"' ${quoted(at)}`),
)

const recorder = lazily(reachableConfine)

async function tellStories(shard: number): Promise<void> {
  const helper = await recorder()
  await fc.assert(
    fc.asyncProperty(
      fc.array(making, { maxLength: 12 }),
      fc.array(fc.array(changing, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
      // Contents over the first are kept as files, and those over both in one command as well.
      fc.constantFrom(10_000_000, 100),
      fc.constantFrom(500_000_000, 400),
      async (tree, commands, fileBytes, totalBytes) => {
        await using world = openUndoWorld({ recorder: helper, limits: { fileBytes, totalBytes } })
        Bun.spawnSync(["bash", "-c", tree.join("\n")], { cwd: world.root, stdio: ["ignore", "ignore", "ignore"] })
        const before = look(world.root)
        const promptId = world.prompt()
        for (const lines of commands) await world.shell(lines.map((line) => `( ${line} )`).join("\n"))
        const after = look(world.root)
        const rewound = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
        if (!rewound.ok) throw new Error(rewound.failure)
        expect(rewound.value?.kept ?? []).toEqual([])
        expectSame(look(world.root), before)
        if (!rewound.value) return
        world.record({ kind: "head", to: null, why: "rewind", files: rewound.value })
        const redone = await world.kit().redoFiles({ log: world.log(), files: rewound.value, signal })
        if (!redone.ok) throw new Error(redone.failure)
        expectSame(look(world.root), after)
      },
    ),
    { numRuns: Math.ceil(stories / shards), ...(seed !== undefined && { seed: Number(seed) + shard }) },
  )
}

for (let shard = 0; shard < shards; shard++)
  test.concurrent.skipIf(process.platform !== "linux")(
    `whatever commands did, a rewind undoes it, and redo does it again (${shard + 1} of ${shards})`,
    () => tellStories(shard),
    3_600_000,
  )

interface Seen {
  readonly states: Record<string, string>
  readonly times: Map<string, bigint>
}

/** The runtime sets times to the microsecond. */
function expectSame(actual: Seen, expected: Seen): void {
  expect(actual.states).toEqual(expected.states)
  const isOff = (at: string, time: bigint): boolean => {
    const difference = time - (expected.times.get(at) ?? 0n)
    return difference > 1000n || difference < -1000n
  }
  expect([...actual.times].filter(([at, time]) => isOff(at, time))).toEqual([])
}

/** Read without any code of ours. */
function look(root: string): Seen {
  const states: Record<string, string> = {}
  const times = new Map<string, bigint>()
  const enter = (folder: string): void => {
    for (const entry of readdirSync(folder).sort()) {
      const at = join(folder, entry)
      const stats = lstatSync(at, { bigint: true })
      const bits = (Number(stats.mode) & 0o7777).toString(8)
      if (stats.isSymbolicLink()) states[at] = `link ${readlinkSync(at)}`
      else if (stats.isDirectory()) {
        states[at] = `folder ${bits}`
        enter(at)
      } else {
        states[at] = `file ${bits} ${readFileSync(at).toString("base64")}`
        times.set(at, stats.mtimeNs)
      }
    }
  }
  enter(root)
  return { states, times }
}
