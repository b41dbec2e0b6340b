/**
 * One tail: its connection, its lines and its rates, for a page to look at.
 *
 * **Invariant:** between what was shown before a pause or a lost connection and what is shown after it no match is
 * missing, unless a note says so.
 */
import {
  type EventStream,
  type EventsState,
  type TailStatus,
  openEvents,
  readEvent,
} from '../api/events';
import type { ServerEvent } from '../api/eventParser';
import type { Message } from '../api/model';
import { EVENT_MESSAGES_MAX, type TailRequest, pastSeconds, tailPath } from './backfill';
import { Buffer, type Line, type Note } from './buffer';
import { Rates, type Second, toneOf } from './rates';

export type TailView = {
  connection: EventsState;
  lines: readonly Line[];
  /** The number of messages that are no longer kept. */
  fellOut: number;
  /** The number of messages that wait until the view continues. */
  waiting: number;
  meter: Meter;
};

/** The values that change once a second. */
export type Meter = {
  now: number;
  seconds: readonly Second[];
  /** The number of matches per second; null without a connection. */
  matched: number | null;
  received: number | null;
  /** The number of matches per second that are sent; null if all are. */
  shown: number | null;
  /** The number of messages that the server has not examined yet. */
  behind: number;
  /** Null if no match is known. */
  lastMatchAt: number | null;
};

type Band = { key: number; note: Extract<Note, { refilled: number }>; serverUntil: number };

/**
 * Clocks that differ by less than this count as equal: the server states its own time in whole
 * seconds.
 */
const CLOCK_TOLERANCE_MS = 2_000;
/** Rates are averages of this many reports, because a single one is sometimes late. */
const REPORTS_MAX = 3;
/**
 * The server reports every second: a report that is older than this says nothing about the present.
 */
const REPORT_AGE_MAX_MS = 4_000;

export class Tail {
  private readonly buffer = new Buffer();
  private readonly rates = new Rates();
  private readonly ended = new AbortController();
  private isFilled = false;
  private readonly listeners = new Set<() => void>();
  private onMatch: (messages: readonly Message[]) => void = () => undefined;
  private stream: EventStream | null = null;
  private connection: EventsState = { kind: 'closed' };
  private position: string | null = null;
  private following = true;
  private paused = false;
  /** The time when a pause became too long to keep the messages that it holds back. */
  private pausedAt: number | null = null;
  private band: Band | null = null;
  /** The start of the tail, by the server's clock. */
  private startedAt: number | null = null;
  /** The time by which the browser's clock is ahead of the server's. */
  private clockAhead = 0;
  private reports: { at: number; status: TailStatus }[] = [];
  private lastMatchAt: number | null = null;
  private ticker: ReturnType<typeof setInterval> | undefined;
  private frame = 0;
  private view: TailView = {
    connection: this.connection,
    lines: [],
    fellOut: 0,
    waiting: 0,
    meter: this.meter(),
  };

  constructor(private readonly request: TailRequest) {}

  start(): void {
    this.connect();
    this.ticker = setInterval(() => this.tick(), 1000);
  }

  stop(): void {
    this.disconnect();
    this.ended.abort();
    clearInterval(this.ticker);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** `onMatch` is called for matches that were stored while this tail was running. */
  listen(onMatch: (messages: readonly Message[]) => void): void {
    this.onMatch = onMatch;
  }

  readonly look = (): TailView => this.view;

  retry(): void {
    if (this.connection.kind === 'refused') this.connect();
    else this.stream?.retry();
  }

  /**
   * While a tail is not followed, new messages wait, and the oldest are dropped if there are too
   * many.
   */
  follow(following: boolean): void {
    this.following = following;
    this.holdOrRelease();
  }

  /**
   * Messages that arrive during a pause wait here; during a longer pause they wait at the server.
   */
  pause(paused: boolean): void {
    if (paused === this.paused) return;
    this.paused = paused;
    if (!paused && this.pausedAt !== null) this.resume(this.pausedAt);
    this.holdOrRelease();
  }

  clear(): void {
    this.buffer.clear();
    this.changed();
  }

  private resume(from: number): void {
    this.pausedAt = null;
    this.openBand('paused', from);
    this.connect();
  }

  private holdOrRelease(): void {
    if (this.paused || !this.following) this.buffer.hold();
    else this.buffer.release();
    this.changed();
  }

  private connect(): void {
    this.stream?.close();
    this.stream = openEvents({
      path: (position) => tailPath(this.request, position),
      position: this.position,
      onEvent: (event) => this.hear(event),
      onState: (state) => this.become(state),
    });
  }

  private disconnect(): void {
    this.stream?.close();
    this.reports = [];
  }

  private become(state: EventsState): void {
    this.connection = state;
    if (state.kind === 'open') this.opened(state.serverTime ?? Date.now());
    if (state.kind === 'waiting' && this.startedAt !== null) this.lost(state.since);
    if (state.kind !== 'open') this.reports = [];
    this.changed();
  }

  private opened(serverTime: number): void {
    const now = Date.now();
    const ahead = now - serverTime;
    this.clockAhead = Math.abs(ahead) < CLOCK_TOLERANCE_MS ? 0 : ahead;
    this.startedAt ??= serverTime;
    if (!this.isFilled) void this.fill(this.startedAt);
    if (this.band?.note.until === null) {
      this.band.serverUntil = now - this.clockAhead;
      this.changeBand({ until: now });
    }
  }

  /** Loads the earlier rates; a tail works without them. */
  private async fill(until: number): Promise<void> {
    this.isFilled = true;
    try {
      const past = await pastSeconds(this.request, this.ended.signal);
      const ahead = Math.round(this.clockAhead / 1000);
      const seconds = past.map((second) => ({ ...second, at: second.at + ahead }));
      this.rates.fill(seconds, until + this.clockAhead);
      this.tick();
    } catch {
      // The chart starts empty, as its text says.
    }
  }

  private lost(since: number): void {
    if (this.band === null || this.band.note.until !== null) this.openBand('disconnected', since);
  }

  private openBand(kind: Band['note']['kind'], from: number): void {
    const note = { kind, from, until: null, refilled: 0 };
    this.band = { key: this.buffer.addNote(note), note, serverUntil: Infinity };
    this.changed();
  }

  private changeBand(part: Partial<Band['note']>): void {
    if (this.band === null) return;
    this.band.note = { ...this.band.note, ...part };
    this.buffer.changeNote(this.band.key, this.band.note);
    this.changed();
  }

  private hear(sent: ServerEvent): void {
    const event = readEvent(sent);
    if (sent.id !== '') this.position = sent.id;
    switch (event?.kind) {
      case 'messages': {
        this.take(event.messages);
        return;
      }
      case 'status': {
        this.report(event.status);
        return;
      }
      case 'gap': {
        const { messages, reason } = event;
        this.buffer.addNote({ kind: 'gap', messages, reason });
        this.changed();
        return;
      }
      case undefined:
        return;
    }
  }

  private take(messages: readonly Message[]): void {
    const now = Date.now();
    const fresh: Message[] = [];
    let refilled = 0;
    for (const message of messages) {
      const received = Date.parse(message.received);
      this.buffer.addMessage(message);
      this.lastMatchAt = received + this.clockAhead;
      if (received < (this.band?.serverUntil ?? 0)) refilled += 1;
      if (received < (this.startedAt ?? 0)) continue;
      this.rates.add(received + this.clockAhead, toneOf(message.severity), now);
      fresh.push(message);
    }
    if (refilled > 0) this.changeBand({ refilled: (this.band?.note.refilled ?? 0) + refilled });
    if (fresh.length > 0) this.onMatch(fresh);
    if (this.paused && this.buffer.room < EVENT_MESSAGES_MAX) {
      this.pausedAt = now;
      this.disconnect();
    }
    this.changed();
  }

  private report(status: TailStatus): void {
    this.reports = [...this.reports.slice(-REPORTS_MAX), { at: Date.now(), status }];
    this.rates.settle(status.shown, status.matched);
    if (status.last_match !== null) {
      this.lastMatchAt ??= Date.parse(status.last_match) + this.clockAhead;
    }
    this.changed();
  }

  private tick(): void {
    if (this.connection.kind === 'open') this.rates.watch(Date.now());
    this.view = { ...this.view, meter: this.meter() };
    this.changed();
  }

  private meter(): Meter {
    const now = Date.now();
    const last = this.reports.at(-1);
    const status = last !== undefined && now - last.at <= REPORT_AGE_MAX_MS ? last.status : null;
    return {
      now,
      seconds: this.rates.seconds(now),
      matched: status === null ? null : this.perSecond(({ matched }) => matched),
      received: status === null ? null : this.perSecond(({ received }) => received),
      shown: (status?.sampled_one_in ?? 1) > 1 ? this.perSecond(({ shown }) => shown) : null,
      behind: status?.behind ?? 0,
      lastMatchAt: this.lastMatchAt,
    };
  }

  /**
   * Each report counts the messages since the one before; together they cover at least a second
   * each.
   */
  private perSecond(count: (status: TailStatus) => number): number {
    const [first, ...others] = this.reports;
    const last = others.at(-1);
    if (first === undefined || last === undefined) return 0;
    const seconds = Math.max(others.length, (last.at - first.at) / 1000);
    return others.reduce((sum, { status }) => sum + count(status), 0) / seconds;
  }

  /** However often something changes, the page is drawn at most once per frame. */
  private changed(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame(() => this.publish());
  }

  private publish(): void {
    this.frame = 0;
    const { fellOut, waiting } = this.buffer;
    const lines = this.buffer.lines();
    this.view = { ...this.view, connection: this.connection, lines, fellOut, waiting };
    for (const listener of this.listeners) listener();
  }
}
