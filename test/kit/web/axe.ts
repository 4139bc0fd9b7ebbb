/** What axe finds on a page or in a part of it, without what it calls minor. */

import { source } from "axe-core"
import type { Page } from "playwright-core"

export async function axeProblems(page: Page, part = ":root"): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`"axe" in globalThis`))) await page.evaluate(source)
  return page.evaluate<
    string[]
  >(`axe.run(${JSON.stringify(part)}, { resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact !== "minor")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join("\\n"))))`)
}
