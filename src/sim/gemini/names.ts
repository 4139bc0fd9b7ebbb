/** What a path of the Gemini API names: the model, and what is asked of it. */

export interface GeminiPath {
  readonly model: string
  readonly method: "generateContent" | "streamGenerateContent"
}

/** Undefined for any other path. */
export function geminiPath(path: string): GeminiPath | undefined {
  const [, model, method] =
    /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path) ?? []
  if (model === undefined) return undefined
  return { model: decodeURIComponent(model), method: method === "generateContent" ? method : "streamGenerateContent" }
}

/** From the third generation on, calls are signed and have ids. Other names are taken for new models. */
export const isThirdOrLater = (model: string): boolean => !/^(?:gemini-[12](?!\d)|gemma)/.test(model)
