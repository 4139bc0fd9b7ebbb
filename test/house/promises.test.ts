/** The one wall that needs types, and with them more time than all others together: left out of `npm run check`. */

import { expect, test } from "bun:test"
import { resolve } from "node:path"
import { floatingBreaches } from "./walls/floating.ts"

const root = resolve(import.meta.dir, "../..")

test.each([".", "src/faces/web/page", "test/faces/web"])("no promise is forgotten (%s)", async (project) => {
  expect(await floatingBreaches(resolve(root, project))).toEqual([])
})
