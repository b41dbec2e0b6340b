/** The errors that the client throws: each is a `LogsteadError`. */
import type { Problem as ProblemDocument, ProblemType } from './api.js';

export class LogsteadError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** There was no answer: no connection, or it broke. */
export class ConnectionFailed extends LogsteadError {}

/** An answer is not complete: an export broke, or there was no time to search everything. */
export class IncompleteAnswer extends LogsteadError {}

/** The server refused a request, and said why (RFC 9457). */
export class Problem extends LogsteadError {
  /** The part after `urn:logstead:problem:`, such as `query-syntax`. */
  readonly kind: string;

  constructor(
    readonly status: number,
    /** The whole problem document. */
    readonly document: ProblemDocument,
    /** The number of seconds after which it is worth trying again, if the server named one. */
    readonly retryAfter: number | undefined = undefined,
  ) {
    super(textOf(status, document));
    this.kind = document.type.replace(/^urn:logstead:problem:/, '');
  }

  /** Whether it is the problem of this name. */
  is(type: ProblemType): boolean {
    return this.document.type === type;
  }
}

function textOf(
  status: number,
  { title, detail, excerpt, problems = [], request_id }: ProblemDocument,
): string {
  const parts = [`${status} ${title}: ${detail}`];
  if (excerpt !== undefined) parts.push(excerpt);
  parts.push(...problems.map(({ path, message }) => `${path}: ${message}`));
  if (request_id !== undefined) parts.push(`request ${request_id}`);
  return parts.join('\n');
}

/** The problem that an unsuccessful answer tells, even if a proxy wrote it. */
export async function problemOf(response: Response): Promise<Problem> {
  const { status, statusText } = response;
  const text = await response.text().catch(() => '');
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  return new Problem(
    status,
    read(text) ?? foreign(status, statusText, text),
    Number.isNaN(seconds) ? undefined : seconds,
  );
}

/** The longest piece of an answer in a foreign format that an error quotes. */
const QUOTED_CHARS = 200;

function foreign(status: number, statusText: string, text: string): ProblemDocument {
  const detail = `This answer is not from Logstead: ${text.slice(0, QUOTED_CHARS)}`;
  const type = 'about:blank' as ProblemType; // the one type that the API itself never has
  return { type, title: statusText, status, detail };
}

function read(text: string): ProblemDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isProblem =
      typeof value === 'object' && value !== null && 'type' in value && 'title' in value;
    return isProblem ? (value as ProblemDocument) : undefined;
  } catch {
    return undefined;
  }
}
