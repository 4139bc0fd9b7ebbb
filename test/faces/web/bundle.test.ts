/** How large the page is: whoever makes it larger sees it here. */

import { expect, test } from "bun:test"
import { openPageFiles } from "#faces/web/page-files.ts"

/** In bytes, as loaded and as compressed: what the first screen needs. Raise them only for something that is worth waiting for. */
const [mostScript, mostPacked, mostStyle] = [390_000, 127_000, 40_000]
/** With the screens that are loaded when somebody opens them. */
const mostOfAll = 450_000

test("the page stays small, and what few open first is not in its first script", async () => {
  const files = openPageFiles()
  const read = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
    const answer = await files(path)
    if (!answer) throw new Error(`the page has no ${path}`)
    return new Uint8Array(await answer.arrayBuffer())
  }
  const index = new TextDecoder().decode(await read("/"))
  const script = await read(/src="(\/[^"]+\.js)"/.exec(index)?.[1] ?? "")
  const style = await read(/href="(\/[^"]+\.css)"/.exec(index)?.[1] ?? "")
  expect(script.byteLength).toBeGreaterThan(50_000)
  expect(style.byteLength).toBeGreaterThan(5_000)
  expect(script.byteLength).toBeLessThan(mostScript)
  expect(Bun.gzipSync(script).byteLength).toBeLessThan(mostPacked)
  expect(style.byteLength).toBeLessThan(mostStyle)

  const text = new TextDecoder().decode(script)
  const later = [...new Set([...text.matchAll(/chunk-[\w-]+\.js/g)].map(([name]) => `/${name}`))]
  const sizes = await Promise.all(later.map(async (path) => (await read(path)).byteLength))
  expect(later.length).toBeGreaterThan(5)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(mostOfAll)
  const has = (words: string): boolean => text.includes(words)
  expect(["Nothing is waiting for you", "Open a pull request", "Quiet hours"].map(has)).toEqual([true, false, false])
})
