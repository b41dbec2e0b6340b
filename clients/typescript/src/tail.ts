/** A live tail, which reconnects by itself. */
import type { Message, Operations, StatusTailEvent, TailEvent } from './api.js';
import { ConnectionFailed, Problem } from './errors.js';
import { linesOf } from './lines.js';
import { Attempts, failureOf, type RetryOptions, type Transport } from './transport.js';

export type TailAsked = NonNullable<Operations['GET /api/v1/tail']['asked']['query']>;

/** Messages that a tail does not show. */
export type Loss = {
  /** How many at most; undefined if that is not known. */
  messages: number | undefined;
  reason: string;
};

export type TailOptions = {
  /** Is called with what the tail lost; without it, losses are written to the console as warnings. */
  onLoss?: (loss: Loss) => void;
  signal?: AbortSignal;
  /** How long it tries to connect again: ten minutes by default. */
  retry?: Partial<RetryOptions>;
};

/** A connection is dead if it is silent for this long: the server sends something every second. */
const SILENCE = 15_000;
const UNAVAILABLE = [429, 503];

/** An iterator over messages as they are stored. */
export class Tail implements AsyncIterable<Message> {
  /**
   * The position behind the last event, all messages of which were taken. Given as `since`, it
   * continues the tail, even in another process.
   */
  position: string | undefined;
  /** The counts that the server sends every second. */
  status: StatusTailEvent | undefined;
  /** The number of messages that `last` still asks for, until the stored ones have come. */
  private last: number | undefined;
  /** The position at which the tail began, which all stored messages have. */
  private beganAt: string | undefined;
  private stored = 0;
  private readonly onLoss: (loss: Loss) => void;

  constructor(
    private readonly transport: Transport,
    private readonly asked: TailAsked,
    private readonly options: TailOptions,
  ) {
    this.position = asked.since ?? undefined;
    this.last = this.position === undefined ? (asked.last ?? undefined) : undefined;
    this.onLoss =
      options.onLoss ??
      (({ messages = 'an unknown number of', reason }) => {
        console.warn(`the tail lost ${messages} messages: ${reason}`);
      });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, void> {
    const retry = { ...this.transport.retry, deadline: 600, ...this.options.retry };
    const { signal } = this.options;
    let attempts = new Attempts(retry, signal);
    for (;;) {
      try {
        for await (const [id, event] of this.events(retry)) {
          attempts = new Attempts(retry, signal);
          const messages = this.take(event);
          yield* messages;
          this.passed(id, messages.length);
        }
        throw new ConnectionFailed('the server ended the tail');
      } catch (error) {
        const failure = failureOf(error, signal);
        const passes = failure instanceof Problem && UNAVAILABLE.includes(failure.status);
        if (!passes && !(failure instanceof ConnectionFailed)) throw failure;
        await attempts.after(failure);
      }
    }
  }

  /** The events of one connection, with their ids. */
  private async *events(retry: RetryOptions): AsyncGenerator<[string, TailEvent]> {
    this.reopen();
    const silence = new AbortController();
    const { signal: own } = this.options;
    const signal = own === undefined ? silence.signal : AbortSignal.any([silence.signal, own]);
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (this.position !== undefined) headers['Last-Event-ID'] = this.position;
    const query = { ...this.asked, last: this.last, since: undefined };
    const dead = new ConnectionFailed('the tail was silent for too long');
    let timer = setTimeout(() => silence.abort(dead), SILENCE);
    try {
      const response = await this.transport.open(
        'GET /api/v1/tail',
        { query, headers, signal },
        retry,
      );
      let [id, data] = ['', ''];
      for await (const line of linesOf(response.body ?? nothing())) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(dead), SILENCE);
        if (line.startsWith('id:')) id = line.slice(3).trim();
        else if (line.startsWith('data:')) data += line.slice(5);
        // An event that was cut off is left out.
        else if (line === '' && data !== '') {
          const event = JSON.parse(data) as TailEvent;
          data = '';
          yield [id, event];
        }
      }
    } finally {
      clearTimeout(timer);
      silence.abort(dead);
    }
  }

  private take(event: TailEvent): Message[] {
    switch (event.kind) {
      case 'messages':
        return event.messages;
      case 'gap':
        this.onLoss({ messages: event.messages, reason: event.reason });
        return [];
      case 'problem':
        throw new Problem(event.status, event);
      case 'status':
        this.takeStatus(event);
        return [];
      default: // an event of a later version
        return [];
    }
  }

  private takeStatus(status: StatusTailEvent): void {
    this.status = status;
    const { sampled_one_in: one, matched, shown } = status;
    if (one === null) return;
    const reason = `more match than the server sends: one in ${one} is shown`;
    this.onLoss({ messages: matched - shown, reason });
  }

  /** Moves on behind an event, after all of its messages were taken. */
  private passed(id: string, messages: number): void {
    if (this.last !== undefined) {
      if (this.beganAt === undefined) {
        this.beganAt = id;
        return;
      }
      if (messages > 0 && id === this.beganAt) {
        this.stored += messages;
        return;
      }
    }
    this.last = undefined;
    this.position = id;
  }

  /** Continues where the last connection broke. */
  private reopen(): void {
    if (this.status?.sampled_one_in !== undefined && this.status.sampled_one_in !== null)
      this.onLoss({
        messages: undefined,
        reason: 'the connection broke while not all messages were sent',
      });
    this.status = undefined;
    if (this.last !== undefined && this.stored > 0) {
      const left = this.last - this.stored;
      if (left > 0)
        this.onLoss({
          messages: left,
          reason: 'the connection broke while stored messages were sent',
        });
      this.position = this.beganAt;
      this.last = undefined;
    }
    this.beganAt = undefined;
  }
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* nothing(): AsyncGenerator<Uint8Array> {}
