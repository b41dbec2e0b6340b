/**
 * The lines of a tail: those on show, and those that wait while the reader has scrolled up or paused.
 *
 * **Invariant:** at most twice `LINES_MAX` lines are kept, and what falls out is counted.
 */
import type { Message } from '../api/model';

export type Line = { key: number } & (
  { kind: 'message'; message: Message } | { kind: 'note'; note: Note }
);

/** A note for the user about a position in the stream. */
export type Note =
  | {
      kind: 'disconnected' | 'paused';
      from: number;
      until: number | null;
      /** The number of messages from the time between the two that arrived afterwards. */
      refilled: number;
    }
  | { kind: 'gap'; messages: number; reason: string };

export const LINES_MAX = 5_000;

export class Buffer {
  private readonly shown: Ring;
  private readonly held: Ring;
  private holding = false;
  private nextKey = 0;
  private copy: readonly Line[] | null = null;

  constructor(linesMax = LINES_MAX) {
    this.shown = new Ring(linesMax);
    this.held = new Ring(linesMax);
  }

  /**
   * The number of messages that were dropped at the beginning, of the shown and of the held ones.
   */
  get fellOut(): number {
    return this.shown.fellOut + this.held.fellOut;
  }

  /** The number of messages that have arrived since the view was held, kept or not. */
  get waiting(): number {
    return this.held.messages + this.held.fellOut;
  }

  /** The number of messages that can still be held before the first of them is dropped. */
  get room(): number {
    return this.held.room;
  }

  /** Returns the same array as long as the shown lines are the same. */
  lines(): readonly Line[] {
    this.copy ??= this.shown.items();
    return this.copy;
  }

  addMessage(message: Message): void {
    this.add({ key: this.nextKey, kind: 'message', message });
  }

  /** Adds a note; returns the key by which it can be changed. */
  addNote(note: Note): number {
    const key = this.nextKey;
    this.add({ key, kind: 'note', note });
    return key;
  }

  /** Changes a note; does nothing if it has been dropped. */
  changeNote(key: number, note: Note): void {
    this.copy = null;
    this.shown.replace({ key, kind: 'note', note });
    this.held.replace({ key, kind: 'note', note });
  }

  /** Freezes the shown lines until `release`. */
  hold(): void {
    this.holding = true;
  }

  release(): void {
    this.holding = false;
    this.copy = null;
    for (const line of this.held.items()) this.shown.push(line);
    this.shown.fellOut += this.held.fellOut;
    this.held.clear();
  }

  clear(): void {
    this.copy = null;
    this.shown.clear();
    this.held.clear();
  }

  private add(line: Line): void {
    this.nextKey += 1;
    if (!this.holding) this.copy = null;
    (this.holding ? this.held : this.shown).push(line);
  }
}

/** The last lines that were pushed. */
class Ring {
  fellOut = 0;
  messages = 0;
  private readonly slots: Line[] = [];
  /** The index of the oldest line, once all slots are taken. */
  private first = 0;

  constructor(private readonly max: number) {}

  get room(): number {
    return this.max - this.slots.length;
  }

  push(line: Line): void {
    if (line.kind === 'message') this.messages += 1;
    if (this.room > 0) {
      this.slots.push(line);
      return;
    }
    if (this.slots[this.first]?.kind === 'message') {
      this.messages -= 1;
      this.fellOut += 1;
    }
    this.slots[this.first] = line;
    this.first = (this.first + 1) % this.max;
  }

  replace(line: Line): void {
    const at = this.slots.findIndex(({ key }) => key === line.key);
    if (at !== -1) this.slots[at] = line;
  }

  items(): Line[] {
    return [...this.slots.slice(this.first), ...this.slots.slice(0, this.first)];
  }

  clear(): void {
    this.slots.length = 0;
    this.first = 0;
    this.messages = 0;
    this.fellOut = 0;
  }
}
