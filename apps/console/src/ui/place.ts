import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { placeOf, route } from "../router.ts";

/** A value of a page that is there again on the way back to it. */
export const useKept = <Value>(name: string, first: Value): readonly [Value, (value: Value) => void] => {
  // A component belongs to the entry at which it began.
  const place = useMemo(() => placeOf(route.value.entry), []);
  const [value, setValue] = useState(place.has(name) ? (place.get(name) as Value) : first);
  return [
    value,
    (next) => {
      place.set(name, next);
      setValue(next);
    },
  ];
};

const restoresMs = 2_000;

/** Begins a page at its top, or where it was left; the rows may come a little later. */
export const useScrolledPlace = (): void => {
  const isRestoring = useRef(false);
  useEffect(() => {
    const { entry } = route.value;
    const place = placeOf(entry);
    const wanted = Number(place.get("scrolled") ?? 0);
    const end = performance.now() + restoresMs;
    let frame = 0;
    isRestoring.current = true;
    const restore = (): void => {
      scrollTo(0, wanted);
      if (Math.abs(scrollY - wanted) < 2 || performance.now() > end) isRestoring.current = false;
      else frame = requestAnimationFrame(restore);
    };
    restore();
    const stop = (): void => {
      isRestoring.current = false;
      cancelAnimationFrame(frame);
    };
    const note = (): void => {
      // A page that is being left becomes shorter, and with it what is scrolled.
      if (!isRestoring.current && route.value.entry === entry) place.set("scrolled", scrollY);
    };
    addEventListener("scroll", note, { passive: true });
    addEventListener("wheel", stop, { passive: true });
    addEventListener("keydown", stop);
    addEventListener("touchmove", stop, { passive: true });
    return () => {
      stop();
      removeEventListener("scroll", note);
      removeEventListener("wheel", stop);
      removeEventListener("keydown", stop);
      removeEventListener("touchmove", stop);
    };
  }, []);
};
