/** How large the page is: whoever makes it larger sees it here. */

import { expect, test } from "bun:test"
import { openPageFiles } from "#faces/web/page-files.ts"

/** In bytes, as loaded and as compressed. Raise them only for something that is worth waiting for. */
const [mostScript, mostPacked, mostStyle] = [400_000, 134_000, 40_000]

test("the page stays small", async () => {
  const files = openPageFiles()
  const index = (await (await files("/"))?.text()) ?? ""
  const bytesOf = async (pattern: RegExp): Promise<Uint8Array<ArrayBuffer>> => {
    const path = pattern.exec(index)?.[1] ?? ""
    return new Uint8Array((await (await files(path))?.arrayBuffer()) ?? new ArrayBuffer())
  }
  const script = await bytesOf(/src="(\/[^"]+\.js)"/)
  const style = await bytesOf(/href="(\/[^"]+\.css)"/)
  expect(script.byteLength).toBeGreaterThan(50_000)
  expect(style.byteLength).toBeGreaterThan(5_000)
  expect(script.byteLength).toBeLessThan(mostScript)
  expect(Bun.gzipSync(script).byteLength).toBeLessThan(mostPacked)
  expect(style.byteLength).toBeLessThan(mostStyle)
})
