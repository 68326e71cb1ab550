const WIDTH = 100;
const HEIGHT = 28;

export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  if (values.length < 2) return <div className="sparkline" />;
  const most = Math.max(...values, Number.EPSILON);
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)} ${(HEIGHT - 1 - (value / most) * (HEIGHT - 3)).toFixed(1)}`;
  });
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className="sparkline-area" d={`M0 ${HEIGHT}L${points.join("L")}L${WIDTH} ${HEIGHT}z`} />
      <path className="sparkline-line" d={`M${points.join("L")}`} />
    </svg>
  );
}
