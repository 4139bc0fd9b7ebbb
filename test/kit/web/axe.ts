/** What axe finds on a page, without what it calls minor. */

import { source } from "axe-core"
import type { Page } from "playwright-core"

export async function axeProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(source)
  return page.evaluate<string[]>(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact !== "minor")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join("\\n"))))`)
}
