const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  [1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  [1, 2, 5, 10, 30, 100].map((days) => days * 86_400_000),
);

/** Where the axis is marked: at round distances from the run's beginning. */
export function ticksFor(from: number, to: number, most: number): readonly number[] {
  const distance = NICE.find((one) => (to - from) / one <= most) ?? to - from;
  const first = Math.ceil(from / distance);
  return Array.from({ length: Math.ceil(to / distance) - first }, (_, index) => (first + index) * distance);
}
