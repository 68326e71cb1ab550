import { useReactFlow, useStore, type FitViewOptions } from "@xyflow/react";
import { useEffect } from "react";

/** Fits the graph into the view again when the view is resized. */
export function FitOnResize({ options }: { readonly options: FitViewOptions }) {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    if (width > 0 && height > 0) void fitView(options);
  }, [width, height, fitView, options]);
  return null;
}
