/** NOTICE names every package that the executable carries, as it is installed. */

import { expect, test } from "bun:test"
import { join, resolve } from "node:path"
import { noticeText } from "../../scripts/notice.ts"

const root = resolve(import.meta.dir, "../..")

test("NOTICE is up to date (npm run reference)", async () => {
  expect(await Bun.file(join(root, "NOTICE")).text()).toBe(await noticeText(root))
})
