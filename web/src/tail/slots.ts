/**
 * Which element of the page each row is drawn in. A row keeps its element as long as it is in view, and a new one takes
 * that of one that has left: that is half the work of making new elements.
 */
export class Slots {
  private taken = new Map<number, number>();
  private free: number[] = [];
  private count = 0;

  /** The elements of these rows, by their keys. Asked again with the same keys it says the same. */
  of(keys: readonly number[]): ReadonlyMap<number, number> {
    const wanted = new Set(keys);
    for (const [key, slot] of this.taken) if (!wanted.has(key)) this.free.push(slot);
    const next = new Map<number, number>();
    for (const key of keys) next.set(key, this.taken.get(key) ?? this.free.pop() ?? this.count++);
    this.taken = next;
    return next;
  }
}
