import { useEffect, useRef, type FocusEvent, type PointerEvent, type UIEvent } from "react";

/**
 * Tells whether somebody is in the midst of the rows: has scrolled down, points at them, stands on one with the keyboard,
 * or has chosen some. What comes meanwhile waits.
 */
export function useReading(setReading: (isReading: boolean) => void, hasChosen: boolean) {
  const signs = useRef({ scrolled: false, pointed: false, focused: false, chosen: false });
  const note = (sign: Partial<typeof signs.current>, within?: Element): void => {
    Object.assign(signs.current, sign);
    // what had the focus and is gone does not say so
    if (within !== undefined && !within.contains(document.activeElement)) signs.current.focused = false;
    setReading(Object.values(signs.current).some(Boolean));
  };
  useEffect(() => note({ chosen: hasChosen }), [hasChosen]);
  useEffect(() => () => setReading(false), [setReading]);
  return {
    onScroll: ({ currentTarget }: UIEvent) => note({ scrolled: currentTarget.scrollTop > 0 }, currentTarget),
    onPointerMove: ({ pointerType }: PointerEvent) => {
      if (pointerType === "mouse" && !signs.current.pointed) note({ pointed: true });
    },
    onPointerLeave: ({ currentTarget }: PointerEvent) => note({ pointed: false }, currentTarget),
    onFocus: () => note({ focused: true }),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
      note({ focused: relatedTarget instanceof Node && currentTarget.contains(relatedTarget) }),
  };
}
