/** The client: every operation by its name, and those with more than one answer as iterators. */
import type {
  Ingested,
  IngestRefused,
  Message,
  Operations,
  SearchRequest,
  SearchResult,
} from './api.js';
import { IncompleteAnswer, LogsteadError, Problem } from './errors.js';
import { linesOf } from './lines.js';
import { Tail, type TailAsked, type TailOptions } from './tail.js';
import {
  failureOf,
  Transport,
  type Answer,
  type LogsteadOptions,
  type OperationName,
  type Rest,
} from './transport.js';

/** Whether an answer that lacks a part of the store is an error, and what interrupts the request. */
type ReadOptions = { partial?: boolean; signal?: AbortSignal };

export type SearchAsked = SearchRequest & ReadOptions;
export type ExportAsked = Omit<
  NonNullable<Operations['GET /api/v1/export']['asked']['query']>,
  'format' | 'summary' | 'columns'
> &
  ReadOptions & { columns?: string[] };
export type IngestOptions = Omit<
  NonNullable<Operations['POST /api/v1/ingest']['asked']['query']>,
  'format'
> & {
  /** A name for these messages: sent again under the same name, none is stored twice. */
  key?: string;
  signal?: AbortSignal;
};

/** The last line of an export. */
type Sent = string | number | boolean;

/** A message of an export. Its fields are what senders of JSON sent; in a search, all are texts. */
export type ExportedMessage = Omit<Message, 'fields'> & { fields: Record<string, Sent | Sent[]> };

/** Values of a typed column that do not fit its type, and are null in the export. */
type UnfitColumn = { column: string; values: number; example: string };

type Summary = {
  messages: number;
  missing: number;
  damaged_parts: number;
  damaged: string[];
  unfit: UnfitColumn[];
};

/** The bounds of one request of `ingest`. */
const MESSAGES_IN_BODY = 10_000;
const CHARS_IN_BODY = 4 << 20;
const ERRORS_KEPT = 1000;

export class Logstead {
  private readonly transport: Transport;

  /** The server at `address`, such as `https://logs.example.org`. */
  constructor(address: string, options: LogsteadOptions = {}) {
    this.transport = new Transport(address, options);
  }

  /** The server that `LOGSTEAD_SERVER` and `LOGSTEAD_TOKEN` name, as for the command line. */
  static fromEnv(
    environment: Record<string, string | undefined>,
    options: LogsteadOptions = {},
  ): Logstead {
    const { LOGSTEAD_SERVER: address, LOGSTEAD_TOKEN: token } = environment;
    if (!address) throw new LogsteadError('set LOGSTEAD_SERVER to the address of the server');
    return new Logstead(address, { ...(token && { token }), ...options });
  }

  /** The body of an operation's answer: `ask('POST /api/v1/count', { body: { query: 'error' } })`. */
  async ask<Name extends OperationName>(
    name: Name,
    ...asked: Rest<Name>
  ): Promise<Answer<Name>['data']> {
    return (await this.transport.ask(name, ...asked)).data;
  }

  /** An operation's answer with its status and headers, such as the `ETag` of the router document. */
  answer<Name extends OperationName>(name: Name, ...asked: Rest<Name>): Promise<Answer<Name>> {
    return this.transport.ask(name, ...asked);
  }

  /** The messages that match, page by page. Throws `IncompleteAnswer` if not everything was searched. */
  async *search(asked: SearchAsked): AsyncGenerator<Message> {
    for await (const page of this.pages(asked)) yield* page.messages;
  }

  /** The pages of a search: with `columns`, they have `rows`. */
  async *pages({ partial = false, signal, ...request }: SearchAsked): AsyncGenerator<SearchResult> {
    let cursor = request.cursor ?? null;
    do {
      const body = { ...request, ...(cursor !== null && { cursor }) };
      const page = await this.ask('POST /api/v1/search', { body, ...(signal && { signal }) });
      if (!page.coverage.complete && !partial)
        throw new IncompleteAnswer(`${warnings(page)}. Accept this with partial: true`);
      yield page;
      cursor = page.cursor;
    } while (cursor !== null);
  }

  /**
   * All messages that match, in one request; with `columns`, `Row` has these members. Throws
   * `IncompleteAnswer` at the end unless the server has confirmed that it was all.
   */
  async *export<Row = ExportedMessage>({
    columns,
    partial = false,
    signal,
    ...query
  }: ExportAsked = {}): AsyncGenerator<Row> {
    const response = await this.transport.open('GET /api/v1/export', {
      query: { ...query, columns, format: 'ndjson', summary: true },
      ...(signal && { signal }),
    });
    let rows = 0;
    let last: string | undefined;
    try {
      for await (const line of linesOf(response.body as AsyncIterable<Uint8Array>)) {
        if (line === '') break; // behind the last line
        // A line is a row only if another one follows: the last one is the summary.
        if (last !== undefined) {
          rows += 1;
          yield JSON.parse(last) as Row;
        }
        last = line;
      }
    } catch (error) {
      const { message } = failureOf(error, signal);
      throw new IncompleteAnswer(`the export broke after ${rows} messages: ${message}`, {
        cause: error,
      });
    }
    checkSummary(last, rows, partial);
  }

  /** Messages as they are stored. */
  tail(asked: TailAsked = {}, options: TailOptions = {}): Tail {
    return new Tail(this.transport, asked, options);
  }

  /**
   * Stores messages, in as many requests as their number demands, each of which is sent again until
   * there is an answer: its key prevents that anything is stored twice. Messages that the server
   * cannot read are counted as `rejected`; that all of them are, is a `Problem`.
   */
  async ingest(messages: Iterable<object>, options: IngestOptions = {}): Promise<Ingested> {
    const { key = crypto.randomUUID(), signal, ...query } = options;
    const sum: Ingested = { accepted: 0, dropped: 0, rejected: 0, errors: [] };
    let refusal: unknown;
    for (const { first, lines } of bodiesOf(messages)) {
      const stored = await this.ask('POST /api/v1/ingest', {
        body: lines.map((line) => `${line}\n`).join(''),
        headers: {
          'Content-Type': 'application/x-ndjson',
          'Idempotency-Key': `${key}-${first}-${lines.length}`,
        },
        query,
        ...(signal && { signal }),
      }).catch((error: unknown) => {
        refusal = error;
        return countsOf(error);
      });
      sum.accepted += stored.accepted;
      sum.dropped += stored.dropped;
      sum.rejected += stored.rejected;
      const errors = stored.errors.map((error) => ({ ...error, line: error.line + first }));
      sum.errors.push(...errors.slice(0, ERRORS_KEPT - sum.errors.length));
    }
    if (refusal !== undefined && sum.accepted + sum.dropped === 0) throw refusal;
    return sum;
  }
}

/** The counts of a request none of whose messages could be read. */
function countsOf(error: unknown): Ingested {
  if (!(error instanceof Problem && 'rejected' in error.document)) throw error;
  const { accepted = 0, dropped = 0, rejected = 0, errors = [] } = error.document as IngestRefused;
  return { accepted, dropped, rejected, errors };
}

function warnings({ warnings: all }: SearchResult): string {
  return all.map(({ message }) => message).join('; ') || 'not everything was searched';
}

function checkSummary(last: string | undefined, rows: number, partial: boolean): void {
  const summary = JSON.parse(last ?? '{}') as Partial<Summary>;
  const { messages, missing = 0, damaged_parts: damagedParts, damaged = [], unfit = [] } = summary;
  if (messages === undefined || damagedParts === undefined)
    throw new IncompleteAnswer(
      `the export broke after ${rows} messages: it ends without its summary`,
    );
  if (messages !== rows)
    throw new IncompleteAnswer(
      `the export has ${rows} messages, and its summary counts ${messages}`,
    );
  if (missing + damagedParts > 0 && !partial)
    throw new IncompleteAnswer(
      `${damagedParts} parts of the store cannot be read, and at least ${missing} messages are missing: ` +
        `${damaged.join('; ')}. Accept this with partial: true`,
    );
  if (unfit.length > 0 && !partial)
    throw new IncompleteAnswer(
      `${unfit.map(unfitText).join('; ')}. Accept this with partial: true`,
    );
}

function unfitText({ column, values, example }: UnfitColumn): string {
  return `${column}: ${values} values do not fit its type and are null, such as ${JSON.stringify(example)}`;
}

/** The bodies of the requests that send messages, with the number of messages before each. */
function* bodiesOf(messages: Iterable<object>): Generator<{ first: number; lines: string[] }> {
  let [first, size, lines]: [number, number, string[]] = [0, 0, []];
  for (const message of messages) {
    const line = JSON.stringify(message);
    if (
      lines.length >= MESSAGES_IN_BODY ||
      (lines.length > 0 && size + line.length > CHARS_IN_BODY)
    ) {
      yield { first, lines };
      [first, size, lines] = [first + lines.length, 0, []];
    }
    lines.push(line);
    size += line.length + 1;
  }
  if (lines.length > 0) yield { first, lines };
}
