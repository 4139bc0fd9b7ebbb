/** Preloaded into a run from source: writes down which files of the program it loads. */

import { plugin } from "bun"
import { appendFileSync, readFileSync } from "node:fs"

const list = process.env["LIST_MODULES"] ?? "/dev/null"

plugin({
  name: "list-modules",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.tsx?$/ }, ({ path, loader }) => {
      appendFileSync(list, `${path.slice(path.lastIndexOf("/src/") + "/src/".length)}\n`)
      return { contents: readFileSync(path, "utf8"), loader }
    })
  },
})
