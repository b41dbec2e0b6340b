/** One typed client for /api/v1: problems become `ApiError`, a lost session is reported to listeners. */
import { serverUrl } from '../base';
import type { ProblemDetail, ProblemName, Session } from './model';
import type { Operations } from './types';

/** The refusal of the server, or of the network (status 0). */
export class ApiError extends Error {
  constructor(
    readonly problem: ProblemDetail,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(problem.detail ?? problem.title);
    this.name = 'ApiError';
  }

  get status(): number {
    return this.problem.status;
  }

  /** Whether it is the problem of this name. */
  is(name: ProblemName): boolean {
    return this.problem.type === `urn:logstead:problem:${name}`;
  }

  /** The id of the request in the server's own log. */
  get requestId(): string | undefined {
    return this.problem.request_id;
  }
}

/** Converts any thrown value to a problem, so that one component can show them all. */
export function problemOf(error: unknown): ProblemDetail {
  if (error instanceof ApiError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return { title: 'Something went wrong in the console', status: 0, detail };
}

/** Whether the server understood the request and refused it: repeating it would change nothing. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}

/**
 * Whether there was no answer at all, or none without a session: the page reports that once for
 * everything on it.
 */
export function isAway(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 401);
}

let csrfToken: string | null = null;
let onSessionLost: () => void = () => undefined;

/** Unsafe requests made with the cookie must carry the token that came with the session. */
export function rememberCsrfToken(session: Session): Session {
  csrfToken = session.csrf_token;
  return session;
}

/** `listener` runs when any request is answered with 401: the session ended elsewhere or expired. */
export function listenForSessionLoss(listener: () => void): void {
  onSessionLost = listener;
}

/** Headers for a request that is not sent by `client`. */
export function csrfHeaders(): Record<string, string> {
  return csrfToken === null ? {} : { 'X-CSRF-Token': csrfToken };
}

export function tellSessionLoss(): void {
  onSessionLost();
}

/** Throws what an answer to a request refuses that was not sent by `client`. */
export async function throwRefusal(response: Response): Promise<never> {
  if (response.status === 401) tellSessionLoss();
  throw new ApiError(readProblem(await response.json().catch(() => undefined), response));
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type PathOf<M extends Method, Key = keyof Operations> = Key extends `${M} ${infer Path}`
  ? Path
  : never;
type Operation<M extends Method, Path extends string> = Operations[`${M} ${Path}` &
  keyof Operations];

/** The parameters of a request, which may be omitted if all of them are optional. */
type Params<Asked> = Omit<Asked, 'url' | 'body'>;
type WithParams<Asked> =
  Partial<Asked> extends Params<Asked> ? { params?: Params<Asked> } : { params: Params<Asked> };

/** The options of a request; `parseAs` is for operations that can also answer with text. */
type Options<Asked, As> = WithParams<Asked> &
  Pick<Asked, 'body' & keyof Asked> & {
    headers?: Record<string, string>;
    signal?: AbortSignal | null;
    parseAs?: As;
  };

type Good<Answers, As> = As extends 'text' ? string : Answers[keyof Answers];
type Answer<Data> = { data?: Data; error?: unknown; response: Response };

/** Requests a path of the API with a given method. */
type Ask<M extends Method> = <Path extends PathOf<M>, As extends 'json' | 'text' = 'json'>(
  path: Path,
  ...options: Partial<Operation<M, Path>['asked']> extends Omit<Operation<M, Path>['asked'], 'url'>
    ? [options?: Options<Operation<M, Path>['asked'], As>]
    : [options: Options<Operation<M, Path>['asked'], As>]
) => Promise<Answer<Good<Operation<M, Path>['answers'], As>>>;

type Values = Record<string, unknown>;
type Asked = {
  params?: { path?: Values; query?: Values; headers?: Values };
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | null;
  parseAs?: 'json' | 'text';
};

/** One function for each method, with typed paths, parameters, bodies and answers. */
export const client = {
  GET: asks<'GET'>('GET'),
  POST: asks<'POST'>('POST'),
  PUT: asks<'PUT'>('PUT'),
  DELETE: asks<'DELETE'>('DELETE'),
};

function asks<M extends Method>(method: M): Ask<M> {
  return ((path: string, options: Asked = {}) => send(method, path, options)) as Ask<M>;
}

async function send(method: Method, path: string, asked: Asked): Promise<Answer<unknown>> {
  const { params = {}, body, headers, signal = null, parseAs = 'json' } = asked;
  const request = new Request(addressOf(path, params.path, params.query), {
    method,
    signal,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(method !== 'GET' && csrfHeaders()),
      ...headers,
      ...(params.headers as Record<string, string> | undefined),
    },
    // A document may be sent as the text in which it was written.
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const response = await fetch(request);
  const text = await response.text();
  if (!response.ok) return { error: readJson(text), response };
  if (parseAs === 'text') return { data: text, response };
  const data = text === '' ? undefined : readJson(text);
  if (typeof data === 'string') throw foreign(response);
  return { data, response };
}

/**
 * No operation of the API answers with a JSON text, so this page comes from something in between.
 */
function foreign({ url }: Response): ApiError {
  const title = 'The answer is not from Logstead';
  const detail = `${title}: a proxy may have answered ${url} in its place.`;
  return new ApiError({ title, status: BAD_GATEWAY, detail });
}

/** A parameter without a value is left out of the query. */
function addressOf(path: string, parts: Values = {}, query: Values = {}): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parts[name])),
  );
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return `${serverUrl()}${filled}${search.size === 0 ? '' : `?${search.toString()}`}`;
}

/** A text that is not JSON comes from a proxy, and stays a text. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The body of a good answer; anything else is thrown as an `ApiError`. */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  return (await unwrapWithResponse(answer)).data;
}

/** As `unwrap`, for the callers that also need a header. */
export async function unwrapWithResponse<Data>(
  answer: Promise<Answer<Data>>,
): Promise<{ data: Data; response: Response }> {
  const { data, error, response } = await answer.catch(networkError);
  if (response.ok) return { data: data as Data, response };
  if (isSessionLost(response)) onSessionLost();
  throw new ApiError(readProblem(error, response), retryAfter(response));
}

/** 401 from the login itself means a wrong password. */
function isSessionLost({ status, url }: Response): boolean {
  return status === 401 && !url.endsWith('/session');
}

export function networkError(error: unknown): never {
  if (error instanceof DOMException && error.name === 'AbortError') throw error;
  if (error instanceof ApiError) throw error;
  throw new ApiError({
    title: 'The server cannot be reached',
    status: 0,
    detail: 'The server cannot be reached: check that it is running, and your connection to it.',
  });
}

/**
 * An error for an answer that stopped before it was complete. The server may still be up; the next
 * request will tell.
 */
export function cutOff(): ApiError {
  const title = 'The answer was cut off';
  return new ApiError({ title, status: BAD_GATEWAY, detail: `${title} before it was complete.` });
}

const BAD_GATEWAY = 502;

export function readProblem(error: unknown, response: Response): ProblemDetail {
  if (isSessionLost(response)) {
    // The server's own text is meant for programs, which have tokens.
    const title = 'The session has ended';
    return { title, status: response.status, detail: `${title}: sign in to continue.` };
  }
  if (typeof error === 'object' && error !== null && 'title' in error) {
    return error as ProblemDetail;
  }
  const title = `The server answered ${response.status} ${response.statusText}`.trim();
  const detail = typeof error === 'string' && error !== '' ? error.slice(0, 500) : undefined;
  const id = response.headers.get('X-Request-Id');
  return {
    title,
    status: response.status,
    ...(detail !== undefined && { detail }),
    ...(id !== null && { request_id: id }),
  };
}

export function retryAfter(response: Response): number | null {
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  return Number.isNaN(seconds) ? null : seconds;
}
