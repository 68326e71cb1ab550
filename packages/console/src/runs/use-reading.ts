import { useEffect, useRef, type FocusEvent, type PointerEvent, type UIEvent } from "react";

/**
 * Detects whether the user is reading the list: scrolled down, hovering, focused on a row, or selecting. Meanwhile new runs
 * are held back, so that rows do not move.
 */
export function useReading(setReading: (isReading: boolean) => void, hasSelection: boolean) {
  const signs = useRef({ scrolled: false, hovered: false, focused: false, selected: false });
  const note = (sign: Partial<typeof signs.current>, within?: Element): void => {
    Object.assign(signs.current, sign);
    // no blur event is sent when a focused row is unmounted
    if (within !== undefined && !within.contains(document.activeElement)) signs.current.focused = false;
    setReading(Object.values(signs.current).some(Boolean));
  };
  useEffect(() => note({ selected: hasSelection }), [hasSelection]);
  useEffect(() => () => setReading(false), [setReading]);
  return {
    onScroll: ({ currentTarget }: UIEvent) => note({ scrolled: currentTarget.scrollTop > 0 }, currentTarget),
    onPointerMove: ({ pointerType }: PointerEvent) => {
      if (pointerType === "mouse" && !signs.current.hovered) note({ hovered: true });
    },
    onPointerLeave: ({ currentTarget }: PointerEvent) => note({ hovered: false }, currentTarget),
    onFocus: () => note({ focused: true }),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
      note({ focused: relatedTarget instanceof Node && currentTarget.contains(relatedTarget) }),
  };
}
