/** The first line of a text, cut where it is long. */

export const firstLine = (text: string, most = 60): string => {
  const [line = ""] = text.trim().split("\n")
  return line.length > most ? `${line.slice(0, most)}…` : line
}
