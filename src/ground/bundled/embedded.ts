/** Files inside the executable; none when run from source. */

export interface EmbeddedFile {
  /** A file embedded by itself has its bare name, one in a folder the path from that folder. */
  readonly name: string
  readonly blob: Blob
}

export function embeddedFiles(): readonly EmbeddedFile[] {
  return Bun.embeddedFiles.flatMap((blob) =>
    "name" in blob && typeof blob.name === "string" ? [{ name: blob.name, blob }] : [],
  )
}
