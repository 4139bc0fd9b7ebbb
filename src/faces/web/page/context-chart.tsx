/** How full the context was after each request. */

import type { ReactNode } from "react"
import { tokensText } from "#lib/figures.ts"
import type { ContextPoint } from "./facts.ts"

const [width, height] = [280, 72]

export function ContextChart({ points }: { readonly points: readonly ContextPoint[] }): ReactNode {
  const sums = points.map(({ cached, fresh, output }) => cached + fresh + output)
  const highest = Math.max(1, ...sums)
  const last = sums.at(-1) ?? 0
  const step = width / Math.max(12, points.length)
  const tall = (tokens: number): number => (tokens / highest) * height
  return (
    <figure className="chart">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Context after each of ${points.length} requests; now ${tokensText(last)}, at most ${tokensText(highest)}`}
      >
        {points.map(({ cached, fresh, output, isCompacted }, i) => {
          const bar = { x: i * step, width: Math.max(0.5, step - 1) }
          const [low, middle, top] = [tall(cached), tall(fresh), tall(output)]
          return (
            <g key={i}>
              <rect {...bar} className="cached" y={height - low} height={low} />
              <rect {...bar} className="fresh" y={height - low - middle} height={middle} />
              <rect {...bar} className="answer" y={height - low - middle - top} height={top} />
              {isCompacted && <line className="cut" x1={bar.x} x2={bar.x} y1={0} y2={height} />}
            </g>
          )
        })}
      </svg>
      <figcaption>
        {tokensText(last)} now
        <span className="legend">
          <span className="cached">from cache</span>
          <span className="fresh">new</span>
          <span className="answer">answer</span>
        </span>
      </figcaption>
    </figure>
  )
}
