/** Skills for documents: what the machine has for them is looked up when one is loaded, and what is missing is said. */

import type { BundledCommand } from "./bundled.ts"

const rules = `Use what is listed above; a Python module may be there although its program is not (\`python3 -c "import <module>"\` tells). If what you need is missing, say which package would do it and ask before you install anything. Never guess what is in a file that you could not open.
Work on a copy in a temporary folder and put only the result where the user wants it. Afterwards open the result again with another tool than the one that made it, and compare: number of pages, sheets or slides, a few values, how it looks (turn a page into a picture and read that). Report what you checked.`

const found = (programs: string): string => `On this machine there are (others of ${programs} are not):
!\`command -v ${programs}\`
`

const pdf: BundledCommand = {
  name: "pdf",
  description: "Read, search, make, merge, split or fill in PDF files",
  body: `${found("pdftotext pdfinfo pdftoppm pdfimages pdfunite qpdf mutool gs ocrmypdf tesseract pandoc libreoffice typst weasyprint chromium python3")}
- Text: \`pdftotext -layout file.pdf -\` or \`mutool draw -F text\`; \`pdfinfo\` for pages, size and whether it is encrypted. Python: pypdf, pdfplumber (tables), pymupdf.
- Almost no text on many pages means a scan: \`ocrmypdf\` or \`pdftoppm -r 200 -png\` and \`tesseract\`. Say that the text is read from pictures.
- How it looks: \`pdftoppm -r 80 -png -f 1 -l 3\`, then read the picture.
- Merge, split, rotate, pages: \`qpdf --empty --pages a.pdf 1-3 b.pdf -- out.pdf\`, or \`pdfunite\`. Never lose bookmarks or form fields silently.
- Forms: list the fields first (pypdf \`get_fields\`), show the names to the user if it is not plain which is which, fill, and look at the page.
- New ones: write HTML, Markdown or Typst, and turn that into PDF with weasyprint, chromium \`--headless --print-to-pdf\`, pandoc, typst or libreoffice \`--headless --convert-to pdf\`; take the first that is there.
- A password is the user's to give. Do not try to get around one.

${rules}
`,
}

const spreadsheets: BundledCommand = {
  name: "spreadsheets",
  description: "Read, change or make spreadsheets and tables (xlsx, ods, csv)",
  body: `${found("python3 libreoffice ssconvert xlsx2csv csvkit qsv duckdb sqlite3 node")}
- Reading: openpyxl (\`data_only=True\` gives the values that were saved, without it the formulas), pandas for large ones, \`libreoffice --headless --convert-to csv\` or \`ssconvert\` where there is no Python module. List sheets, sizes and headers before anything else.
- CSV: find out delimiter, encoding, decimal mark and quoting from the file, not from its name. Numbers with leading zeros, long ids and dates are text until you know better.
- Changing: openpyxl keeps formats and formulas but drops charts, pictures and macros of some files; compare what the file has before and after, and say what would be lost before you save. Never write values over formulas that should stay.
- Making: put inputs, calculations and results apart; formulas, not pasted numbers, where the user will change inputs; column widths, number formats and a frozen header row.
- Formulas have no values until something calculates them: \`libreoffice --headless --convert-to xlsx\` into another folder, then read with \`data_only=True\` and look for #REF!, #NAME?, #DIV/0!.

${rules}
`,
}

const slides: BundledCommand = {
  name: "slides",
  description: "Read, change or make presentations (pptx, odp, or slides from Markdown)",
  body: `${found("python3 libreoffice pandoc marp pdftoppm node chromium")}
- Reading: python-pptx (titles, text, notes, tables), or \`libreoffice --headless --convert-to pdf\` and then pdftotext and pdftoppm. Without both, a pptx is a zip file: \`unzip -p file.pptx ppt/slides/slide1.xml\`.
- Making: write down the thread first, one statement for each slide as its title, and agree on it with the user if the task leaves it open. Then python-pptx with the user's template (its layouts and placeholders, not loose text boxes), or Markdown with pandoc or marp.
- Few words, one idea a slide; what is said goes into the notes. Numbers have their source. Charts from data, not as pictures, where the tool can.
- Look at every slide: PDF, then pictures, then read them. Look for text that runs out of its box, overlaps, empty placeholders and unreadable colors, and repair what you see.

${rules}
`,
}

const pictures: BundledCommand = {
  name: "pictures",
  description: "Convert, resize, cut, annotate or make pictures and diagrams",
  body: `${found("magick convert identify ffmpeg rsvg-convert inkscape dot mmdc cwebp pngquant exiftool python3 chromium")}
- First look: read the picture itself, then \`identify\` or \`file\` for size, format and color space.
- Convert, resize, cut: ImageMagick (\`magick in.png -resize 1200x -quality 82 out.webp\`), Pillow, or ffmpeg. Keep the ratio; never enlarge without being asked; keep the original.
- Making: SVG by hand for icons and diagrams, Graphviz (\`dot\`) or Mermaid (\`mmdc\`) for graphs, matplotlib for charts, HTML with chromium \`--headless --screenshot\` for layouts. Labels, units, readable at the size it is used.
- Transparency, orientation and profiles get lost easily: compare before and after. Photographs may hold a place and a name (\`exiftool\`); say so before they are published.
- Text in pictures: tesseract, or read the picture yourself and say how sure you are.

${rules}
`,
}

export const documents: readonly BundledCommand[] = [pdf, spreadsheets, slides, pictures]
