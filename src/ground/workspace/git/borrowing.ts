/** Repositories that read the objects of another one. The lender says who may: otherwise a project could show what any other repository has. */

import { posix } from "node:path"

/** A file in the lender's folder, with the borrower's working folder in it. */
export const borrowerFile = (lender: string, root: string): string =>
  posix.join(lender, "borrowers", new Bun.CryptoHasher("sha256").update(root).digest("hex").slice(0, 32))

export interface BorrowDisk {
  readonly readBytes: (path: string) => Uint8Array | undefined
  readonly isLink: (path: string) => boolean
}

/** `alternates`: what a repository says about whose objects it reads. Whoever is the lender is not below the borrower, where a project could write it. */
export function mayBorrow(root: string, alternates: string, disk: BorrowDisk): boolean {
  const lines = alternates.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const [objects = ""] = lines
  if (lines.length === 0) return true
  const lender = posix.dirname(objects)
  const isPlain = objects === posix.resolve("/", objects) && posix.basename(objects) === "objects"
  const isApart = !`${lender}/`.startsWith(`${root}/`) && !`${root}/`.startsWith(`${lender}/`)
  if (lines.length > 1 || !isPlain || !isApart || disk.isLink(objects) || disk.isLink(lender)) return false
  if (disk.readBytes(posix.join(objects, "info", "alternates")) !== undefined) return false
  const said = disk.readBytes(borrowerFile(lender, root))
  return said !== undefined && new TextDecoder().decode(said) === root
}
