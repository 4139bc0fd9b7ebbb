/** What axe finds on a page, without what it calls minor. */

import { source } from "axe-core"
import type { Page } from "playwright-core"

/** `contrast`: only what another theme can change. */
export async function axeProblems(
  page: Page,
  what: "everything" | "contrast" = "everything",
): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`"axe" in globalThis`))) await page.evaluate(source)
  const rules = what === "contrast" ? `, runOnly: ["color-contrast"]` : ""
  return page.evaluate<
    string[]
  >(`axe.run(document, { resultTypes: ["violations"]${rules} }).then(({ violations }) => violations
    .filter(({ impact }) => impact !== "minor")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary].join("\\n"))))`)
}
