/** Opens a PDF and extracts the text of its pages. The library is heavy, so it is loaded with the first PDF. */

import type * as unpdf from "unpdf"
import { failed, ok, type Result } from "#lib/result.ts"

export interface Pdf extends AsyncDisposable {
  readonly pages: number
  /** Whether it is encrypted, though it opens without a password. */
  readonly isEncrypted: boolean
  readonly textOf: (page: number) => Promise<string>
}

export async function openPdf(bytes: Buffer): Promise<Result<Pdf, string>> {
  try {
    const { getDocumentProxy } = await import("unpdf")
    // The library keeps its input, so it gets a copy; and it must not write to the terminal.
    const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
    return ok({
      pages: document.numPages,
      isEncrypted: bytes.includes("/Encrypt"),
      textOf: (number) => textOf(document, number),
      [Symbol.asyncDispose]: () => document.loadingTask.destroy(),
    })
  } catch (error) {
    return failed(complaint(error))
  }
}

type PdfDocument = Awaited<ReturnType<typeof unpdf.getDocumentProxy>>

async function textOf(document: PdfDocument, number: number): Promise<string> {
  try {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    return items
      .map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
      .join("")
      .trim()
  } catch {
    return "(this page is damaged and cannot be read)"
  }
}

function complaint(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) }
  if (name === "PasswordException")
    return "is encrypted and opens only with a password. Ask the user for a copy without one."
  return `is damaged and cannot be opened as PDF (${message.replace(/\.$/, "")}). Ask the user for another copy.`
}
