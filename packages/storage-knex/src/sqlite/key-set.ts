/**
 * A set of keys in memory: places under hashes of 48 bits with a sign. Several places may have one
 * hash.
 */
export interface KeySet {
  /** How many places it holds. */
  readonly size: number;
  /** How much memory it takes. */
  readonly bytes: number;
  /** The largest place; 0 when it is empty. */
  readonly newest: number;
  /** Notes a place, which is 1 or more, under a hash. */
  add(hash: number, place: number): void;
  /** The places noted under a hash. */
  placesOf(hash: number): readonly number[];
  /**
   * Returns places from a position on, and the position behind them. It returns at least `wanted`
   * places, unless there are fewer. The first position is 0. The hashes of a stretch are
   * neighbours. Nothing may be added between two stretches.
   */
  stretch(from: number, wanted: number): { readonly places: readonly number[]; readonly next: number };
  /** Whether a position is behind the last place. */
  isEnd(position: number): boolean;
}

const firstSlots = 1024;
/** The set doubles when more of its slots than this are taken. */
const fullest = 0.8;
const hashSpan = 2 ** 48;

const none: readonly number[] = [];

/**
 * An open hash table in two flat arrays: 16 bytes a slot, and nothing for the garbage collector to
 * visit. The slot of a hash grows with the hash, so that neighbours in the table are neighbours in
 * a sorted tree, too.
 */
export const keySet = (): KeySet => {
  let slots = firstSlots;
  let hashes = new Float64Array(slots);
  /** 0 for a free slot. */
  let places = new Float64Array(slots);
  let size = 0;
  let newest = 0;

  const firstSlotOf = (hash: number): number => Math.floor((hash + hashSpan / 2) * (slots / hashSpan));

  const put = (hash: number, place: number): void => {
    let slot = firstSlotOf(hash);
    while (places[slot] !== 0) slot = (slot + 1) % slots;
    hashes[slot] = hash;
    places[slot] = place;
  };

  const double = (): void => {
    const before = { hashes, places };
    slots *= 2;
    hashes = new Float64Array(slots);
    places = new Float64Array(slots);
    for (let slot = 0; slot < before.places.length; slot += 1) {
      const place = before.places[slot] ?? 0;
      if (place !== 0) put(before.hashes[slot] ?? 0, place);
    }
  };

  return {
    get size() {
      return size;
    },
    get bytes() {
      return hashes.byteLength + places.byteLength;
    },
    get newest() {
      return newest;
    },
    add: (hash, place) => {
      if (size >= slots * fullest) double();
      put(hash, place);
      size += 1;
      newest = Math.max(newest, place);
    },
    placesOf: (hash) => {
      let found: number[] | undefined;
      for (let slot = firstSlotOf(hash); places[slot] !== 0; slot = (slot + 1) % slots) {
        if (hashes[slot] !== hash) continue;
        found ??= [];
        found.push(places[slot] ?? 0);
      }
      return found ?? none;
    },
    stretch: (from, wanted) => {
      const found: number[] = [];
      let next = from;
      for (; next < slots && found.length < wanted; next += 1) {
        const place = places[next] ?? 0;
        if (place !== 0) found.push(place);
      }
      return { places: found, next };
    },
    isEnd: (position) => position >= slots,
  };
};
