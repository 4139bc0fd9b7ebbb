/** A folder that is removed with its content at the end of a test. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TemporaryFolder extends Disposable {
  readonly path: string
}

export function temporaryFolder(): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "cw-ground-")))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
