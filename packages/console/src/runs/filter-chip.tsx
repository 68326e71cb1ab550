import { Icon } from "../ui/icon.js";

interface FilterChipProps {
  readonly label: string;
  readonly value: string;
  readonly onRemove: () => void;
}

export function FilterChip({ label, value, onRemove }: FilterChipProps) {
  return (
    <button type="button" className="chip on" onClick={onRemove} aria-label={`Remove filter ${label} ${value}`}>
      <span className="quiet">{label}</span>
      <span className="cut">{value}</span>
      <Icon name="close" size={10} />
    </button>
  );
}
