/** The icons of the console, on a 16 by 16 grid. */
import type { ReactNode } from "react";

const ring = <circle cx="8" cy="8" r="6" />;

const SHAPES = {
  open: <circle cx="8" cy="8" r="5.5" strokeDasharray="2.2 2.1" />,
  /** Does not turn: a list of running runs would redraw the page 60 times per second. Durations show that they run. */
  running: (
    <>
      <circle cx="8" cy="8" r="6" opacity="0.25" />
      <path d="M8 2a6 6 0 0 1 6 6" />
      <circle cx="8" cy="8" r="2" fill="currentColor" stroke="none" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="6.5" fill="currentColor" stroke="none" />
      <path d="m5.2 8.2 2 2 3.7-4.2" stroke="var(--surface)" />
    </>
  ),
  failed: (
    <>
      <rect x="1.8" y="1.8" width="12.4" height="12.4" rx="3" fill="currentColor" stroke="none" />
      <path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" stroke="var(--surface)" />
    </>
  ),
  cancelled: (
    <>
      {ring}
      <path d="m3.9 12.1 8.2-8.2" />
    </>
  ),
  paused: (
    <>
      {ring}
      <path d="M6.4 5.6v4.8m3.2-4.8v4.8" />
    </>
  ),
  waiting: (
    <>
      {ring}
      <path d="M8 4.6V8l2.3 1.6" />
    </>
  ),
  again: <path d="M12.8 6A5.2 5.2 0 1 0 13.2 9M13 2.6V6H9.6" />,
  skipped: <path d="m3.5 4.5 4 3.5-4 3.5zm5 0 4 3.5-4 3.5z" />,
  person: <path d="M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5.5 6c.6-3 2.8-4 5.5-4s4.9 1 5.5 4" />,
  child: <path d="M4 2.5v6a2 2 0 0 0 2 2h6M9.5 7.5l3 3-3 3" />,
  right: <path d="m6 4 4 4-4 4" />,
  down: <path d="m4 6 4 4 4-4" />,
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M3 8h10" />,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  search: <path d="M11 11l3 3M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Z" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="3" />
      <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1m8 8 1 1m0-10-1 1M4 12l-1 1" />
    </>
  ),
  moon: <path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z" />,
  link: (
    <path d="M6.5 9.5 9.5 6.5M7 4.5l1.2-1.2a3.1 3.1 0 0 1 4.5 4.4L11.5 9M9 11.5l-1.2 1.2a3.1 3.1 0 0 1-4.5-4.4L4.5 7" />
  ),
  live: <circle cx="8" cy="8" r="3.5" fill="currentColor" stroke="none" />,
  alert: <path d="M8 2.2 14.5 13.5h-13zM8 6.5v3.2m0 1.9v.1" />,
  first: <path d="M4 4v8m8-8-5 4 5 4z" />,
  last: <path d="M12 4v8M4 4l5 4-5 4z" />,
  ledger: (
    <>
      <rect x="1" y="1" width="14" height="14" rx="3.5" fill="var(--accent)" stroke="none" />
      <path d="M4.5 5h4.5M4.5 8h7M4.5 11h3" stroke="var(--accent-ink)" />
    </>
  ),
  wait: <path d="M5 2.5h6M5 13.5h6M5.5 2.5c0 4 5 3.5 5 7v4m0-11c0 4-5 3.5-5 7v4" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, size = 14 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {SHAPES[name]}
    </svg>
  );
}
