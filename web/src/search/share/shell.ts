/** Commands for a POSIX shell that send the same requests to the server as the page. */
import { type ExportChoice, exportParams } from '../export/choice';
import type { SearchState } from '../searchParams';
import { askOf } from './ask';

export type Endpoint = 'search' | 'count' | 'histogram' | 'aggregate' | 'export';

/** A token is never written into a command: it would be kept in the history of the shell. */
const AUTHORIZATION = `-H "Authorization: Bearer $LOGSTEAD_TOKEN"`;

/** A single shell argument, whatever it contains. */
export function shellQuoted(text: string): string {
  if (/^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:=@%+,-]*$/u.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * `asText` is for a query that cannot be parsed: without it, the server refuses a query that the
 * page searches for as text.
 */
export function curlOf(
  origin: string,
  endpoint: Endpoint,
  state: SearchState,
  asText: boolean,
): string {
  const unparsed = asText ? { unparsed: 'text' } : {};
  switch (endpoint) {
    case 'search':
      return post(origin, endpoint, { ...askOf(state, 'filter'), limit: 100, ...unparsed });
    case 'count':
      return post(origin, endpoint, { ...askOf(state, 'filter'), ...unparsed });
    case 'histogram':
      return post(origin, endpoint, { ...askOf(state, 'filter'), buckets: 60, ...unparsed });
    case 'aggregate':
      return post(origin, endpoint, { ...askOf(state, 'whole'), ...unparsed });
    case 'export':
      return exportCurl(
        origin,
        state,
        { format: 'ndjson', order: 'newest', columns: [], copies: false },
        asText,
      );
  }
}

function post(origin: string, endpoint: Endpoint, body: object): string {
  return lines([
    `curl -sS --fail-with-body ${shellQuoted(`${origin}/api/v1/${endpoint}`)}`,
    AUTHORIZATION,
    "-H 'Content-Type: application/json'",
    `-d ${shellQuoted(JSON.stringify(body))}`,
  ]);
}

/**
 * `-f` and `--output`: a refusal is printed and creates no file; if the connection breaks, curl
 * fails.
 */
export function exportCurl(
  origin: string,
  state: SearchState,
  choice: ExportChoice,
  asText: boolean,
): string {
  return lines([
    `curl -sSf -G ${shellQuoted(`${origin}/api/v1/export`)}`,
    AUTHORIZATION,
    ...exportParams(state, choice).map(
      ([name, value]) => `--data-urlencode ${shellQuoted(`${name}=${value}`)}`,
    ),
    ...(asText ? ['--data-urlencode unparsed=text'] : []),
    `--output logstead.${choice.format}`,
  ]);
}

/** The command reads the token from the environment. */
export function exportCommand(
  origin: string,
  state: SearchState,
  choice: ExportChoice,
  asText: boolean,
): string {
  const { query, from, to, logspaces = [] } = askOf(state, 'whole');
  const written = shellQuoted(query === '' ? '*' : query);
  // A query that begins with a minus is not an option.
  const isOptionLike = query.startsWith('-');
  return lines([
    isOptionLike ? 'logstead export' : `logstead export ${written}`,
    ...(from === undefined ? [] : [`--from ${shellQuoted(from)}`]),
    ...(to === undefined ? [] : [`--to ${shellQuoted(to)}`]),
    ...(choice.copies ? ['--copies all'] : []),
    ...(asText ? ['--as-text'] : []),
    ...logspaces.map((id) => `--logspace ${shellQuoted(id)}`),
    `--format ${choice.format} --output logstead.${choice.format}`,
    `--server ${shellQuoted(origin)}`,
    ...(isOptionLike ? [`-- ${written}`] : []),
  ]);
}

function lines(parts: readonly string[]): string {
  return parts.join(' \\\n  ');
}
