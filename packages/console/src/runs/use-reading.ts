import { useEffect, useRef, type FocusEvent, type PointerEvent, type UIEvent } from "react";

/**
 * Tells whether somebody is in the midst of the rows: has scrolled down, points at them, stands on one with the keyboard,
 * or has chosen some. What comes meanwhile waits.
 */
export function useReading(setReading: (isReading: boolean) => void, hasChosen: boolean) {
  const signs = useRef({ scrolled: false, pointed: false, focused: false, chosen: false });
  const note = (sign: Partial<typeof signs.current>): void => {
    Object.assign(signs.current, sign);
    setReading(Object.values(signs.current).some(Boolean));
  };
  useEffect(() => note({ chosen: hasChosen }), [hasChosen]);
  useEffect(() => () => setReading(false), [setReading]);
  return {
    onScroll: ({ currentTarget }: UIEvent) => note({ scrolled: currentTarget.scrollTop > 0 }),
    onPointerMove: ({ pointerType }: PointerEvent) => {
      if (pointerType === "mouse" && !signs.current.pointed) note({ pointed: true });
    },
    onPointerLeave: () => note({ pointed: false }),
    onFocus: () => note({ focused: true }),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
      note({ focused: relatedTarget instanceof Node && currentTarget.contains(relatedTarget) }),
  };
}
