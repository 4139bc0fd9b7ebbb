/** A folder for one test, removed afterwards. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TemporaryFolder extends Disposable {
  readonly path: string
  readonly join: (...parts: string[]) => string
}

export function temporaryFolder(): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "codewright-")))
  return {
    path,
    join: (...parts) => join(path, ...parts),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
