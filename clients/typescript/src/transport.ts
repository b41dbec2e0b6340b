/** Sends requests with the token, again if need be, and reads their answers. */
import type { Operations } from './api.js';
import { ConnectionFailed, LogsteadError, Problem, problemOf } from './errors.js';

/** An operation, such as `POST /api/v1/search`. */
export type OperationName = keyof Operations;

type AskedOf<Name extends OperationName> = Operations[Name]['asked'];
type Answers<Name extends OperationName> = Operations[Name]['answers'];

/**
 * The parts of a request. A body that is a text is sent as it is, and needs the header
 * `Content-Type`.
 */
export type Asked<Name extends OperationName> = Omit<AskedOf<Name>, 'url' | 'body' | 'headers'> &
  (AskedOf<Name> extends { body: infer Body } ? { body: Body | string } : { body?: undefined }) &
  (AskedOf<Name> extends { headers: infer Headers }
    ? { headers: Headers & Record<string, string> }
    : { headers?: Record<string, string> }) & { signal?: AbortSignal };

/** The arguments after the operation: none are needed if all parts of the request are optional. */
export type Rest<Name extends OperationName> =
  Partial<Asked<Name>> extends Asked<Name> ? [asked?: Asked<Name>] : [asked: Asked<Name>];

/** A good answer. */
export type Answer<Name extends OperationName> = {
  data: Answers<Name>[keyof Answers<Name>];
  status: number;
  headers: Headers;
};

/** How long requests are tried again, in seconds. */
export type RetryOptions = {
  /** The time after the first attempt until which the last one may begin; 0 for a single attempt. */
  deadline: number;
  /** The first wait; the next ones grow, unless the server names a time in `Retry-After`. */
  firstWait: number;
  longestWait: number;
};

export type LogsteadOptions = {
  /** An API token. */
  token?: string;
  retry?: Partial<RetryOptions>;
  /** The function that sends requests, such as one with a proxy. */
  fetch?: typeof fetch;
};

type Values = Record<string, unknown>;
type Parts = {
  path?: Values;
  query?: Values;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
};

/** Answers that say nothing about the request, only about the moment. */
const TEMPORARY = [429, 502, 503, 504];
const CONFLICT = 409;
/** The operations that change nothing although they are sent by POST. */
const ASKING =
  /\/(search|count|histogram|facets|aggregate|explain|overview|fields|complete|query|validate|trace)$/;

export class Transport {
  private readonly address: string;
  private readonly token: string | undefined;
  private readonly fetch: typeof fetch;
  readonly retry: RetryOptions;

  constructor(address: string, { token, retry, fetch: send }: LogsteadOptions) {
    if (!/^https?:\/\//.test(address))
      throw new LogsteadError(`${address} is not an address: start it with http:// or https://`);
    this.address = address.replace(/\/+$/, '');
    this.token = token;
    this.fetch = send ?? globalThis.fetch;
    this.retry = { deadline: 30, firstWait: 0.2, longestWait: 5, ...retry };
  }

  async ask<Name extends OperationName>(name: Name, ...[asked]: Rest<Name>): Promise<Answer<Name>> {
    const response = await this.open(name, (asked ?? {}) as Parts);
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
    const text = await response.text().catch((error: unknown) => broken(error, asked?.signal));
    const data = (isJson ? JSON.parse(text) : text) as Answer<Name>['data'];
    return { data, status: response.status, headers: response.headers };
  }

  /** The answer before its body was read; throws the problem if it is not a good one. */
  async open(name: OperationName, parts: Parts, retry = this.retry): Promise<Response> {
    const [method = '', path = ''] = name.split(' ');
    const { headers, body } = this.content(parts);
    const isKeyed = headers.has('Idempotency-Key');
    const isRepeatable = method === 'GET' || isKeyed || ASKING.test(path);
    const attempts = new Attempts(retry, parts.signal);
    for (;;) {
      try {
        const { signal = null } = parts;
        const url = this.address + addressOf(path, parts);
        const response = await this.fetch(url, { method, headers, body, signal });
        if (response.ok) return response;
        const problem = await problemOf(response);
        const isUnderWay = isKeyed && attempts.number > 0 && problem.status === CONFLICT;
        if (!isRepeatable || !(TEMPORARY.includes(problem.status) || isUnderWay)) throw problem;
        await attempts.after(problem);
      } catch (error) {
        if (error instanceof LogsteadError) throw error;
        const failure = failureOf(error, parts.signal);
        if (!isRepeatable) throw failure;
        await attempts.after(failure);
      }
    }
  }

  private content({ headers: own, body }: Parts): { headers: Headers; body: string | null } {
    const headers = new Headers(own);
    if (this.token !== undefined) headers.set('Authorization', `Bearer ${this.token}`);
    if (body === undefined) return { headers, body: null };
    if (typeof body === 'string') return { headers, body };
    headers.set('Content-Type', 'application/json');
    return { headers, body: JSON.stringify(body) };
  }
}

/** The attempts of one request. */
export class Attempts {
  number = 0;
  private readonly end: number;

  constructor(
    private readonly retry: RetryOptions,
    private readonly signal?: AbortSignal,
  ) {
    this.end = Date.now() + retry.deadline * 1000;
  }

  /** Waits before the next attempt; throws the error if there is none. */
  async after(error: LogsteadError): Promise<void> {
    const { firstWait, longestWait } = this.retry;
    const grown = Math.min(firstWait * 2 ** this.number, longestWait) * (0.5 + Math.random() / 2);
    this.number += 1;
    const named = error instanceof Problem ? (error.retryAfter ?? 0) : 0;
    const wait = Math.max(grown, named) * 1000;
    if (Date.now() + wait > this.end) throw error;
    await pause(wait, this.signal);
  }
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** An interruption that the caller asked for stays what it is; anything else is our error. */
export function failureOf(error: unknown, signal?: AbortSignal): LogsteadError {
  if (signal?.aborted) throw error;
  if (error instanceof LogsteadError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new ConnectionFailed(`the connection failed: ${String(cause)}`, { cause: error });
}

function broken(error: unknown, signal?: AbortSignal): never {
  throw failureOf(error, signal);
}

/** A parameter without a value is left out; lists are separated by commas. */
function addressOf(path: string, { path: places = {}, query = {} }: Parts): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(places[name])),
  );
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}
