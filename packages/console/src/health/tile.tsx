import type { ReactNode } from "react";
import { Sparkline } from "./sparkline.js";

interface Fact {
  readonly name: string;
  readonly value: string;
}

interface TileProps {
  readonly title: string;
  readonly value: string;
  readonly unit: string;
  /** Values since the page was opened, oldest first. */
  readonly trend: readonly number[];
  readonly isBad?: boolean;
  readonly facts?: readonly Fact[];
  readonly children?: ReactNode;
}

export function Tile({ title, value, unit, trend, isBad = false, facts = [], children }: TileProps) {
  return (
    <section className="panel tile" aria-label={title}>
      <h2>{title}</h2>
      <p className={`tile-value ${isBad ? "tone-bad" : ""}`}>
        <strong>{value}</strong> <span className="quiet">{unit}</span>
      </p>
      <Sparkline values={trend} label={`${title} over time`} />
      {facts.length > 0 && (
        <dl className="tile-facts">
          {facts.map(({ name, value: text }) => (
            <div key={name}>
              <dt className="quiet">{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      {children}
    </section>
  );
}
