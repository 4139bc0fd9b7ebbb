import { expect, test } from "bun:test"
import { type TreeFolder, treeOf } from "#ground/workspace/search/tree.ts"

/** A folder that is not there, so that only the files tell of it. */
const folder = "/nowhere/at/all"
const tree = (most: number, files: readonly string[]) =>
  treeOf({ folder, files: files.map((file) => `${folder}/${file}`), isWanted: () => true, most })

const range = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i).padStart(3, "0"))

function find(root: TreeFolder, name: string): TreeFolder | undefined {
  return root.folders.find((one) => one.name === name)
}

test("folders and files by name, and nothing left", () => {
  expect(tree(10, ["b", "a", "x/c", "d/y/e"])).toEqual({
    shown: 7,
    total: 7,
    root: {
      name: folder,
      links: [],
      left: 0,
      files: ["a", "b"],
      folders: [
        {
          name: "d",
          links: [],
          files: [],
          left: 0,
          folders: [{ name: "y", folders: [], links: [], files: ["e"], left: 0 }],
        },
        { name: "x", folders: [], links: [], files: ["c"], left: 0 },
      ],
    },
  })
})

test("a large tree is shown whole from above; a folder of many files does not take all the room", () => {
  const packages = range(60).flatMap((p) => range(5).map((f) => `packages/${p}/src/${f}`))
  const { root, shown, total } = tree(1000, [...range(900).map((name) => `data/${name}`), ...packages])
  expect([shown, total]).toEqual([522, 1322])
  expect(find(root, "data")).toMatchObject({ left: 800, files: range(100) })
  expect(find(root, "packages")?.folders.every(({ folders }) => folders[0]?.files.length === 5)).toBe(true)
})

test("never more than allowed; what is not opened says how much is in it", () => {
  const { root, shown, total } = tree(
    1000,
    range(990).map((name) => `${name}/f`),
  )
  expect([shown, total]).toEqual([1000, 1980])
  expect(find(root, "009")).toMatchObject({ files: ["f"], left: 0 })
  expect(find(root, "010")).toMatchObject({ files: [], left: 1 })
  const few = tree(3, range(10))
  expect(few).toMatchObject({ shown: 3, total: 10, root: { files: ["000", "001", "002"], left: 7 } })
})

test("what is shown and what is left add up, whatever the tree", () => {
  const count = (one: TreeFolder): number =>
    one.folders.length + one.links.length + one.files.length + one.left + one.folders.reduce((n, f) => n + count(f), 0)
  for (const most of [1, 7, 50, 400, 5000]) {
    const files = range(300).map((n, i) => `${"d/".repeat(i % 7)}${i % 3}/${n}`)
    const { root, total } = tree(most, files)
    expect(count(root)).toBe(total)
  }
})
