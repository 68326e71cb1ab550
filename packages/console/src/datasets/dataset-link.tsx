import { Link } from "@tanstack/react-router";

interface DatasetLinkProps {
  readonly name: string;
  readonly namespace: string;
}

export function DatasetLink({ name, namespace }: DatasetLinkProps) {
  return (
    <Link to="/datasets/dataset" search={{ name, namespace }}>
      {name}
    </Link>
  );
}
