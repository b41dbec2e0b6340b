/** A request as a URL, and as a shell command. Pure. */
import type { Operation } from './description';

/** The values of the parameters by name; empty ones are left out. */
export type Values = Readonly<Record<string, string>>;

/** A path parameter without a value stays as it is in the description. */
export function addressOf({ path, parameters }: Operation, values: Values): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? '';
    return value === '' ? whole : encodeURIComponent(value);
  });
  const asked = new URLSearchParams();
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? '';
    if (place === 'query' && value !== '') asked.set(name, value);
  }
  const text = asked.toString();
  return text === '' ? filled : `${filled}?${text}`;
}

/** The parameters that have to be filled in before the request can be sent. */
export function missingOf({ parameters }: Operation, values: Values): readonly string[] {
  return parameters
    .filter(({ name, required, in: place }) => {
      return (required === true || place === 'path') && (values[name] ?? '') === '';
    })
    .map(({ name }) => name);
}

export function curlOf(
  operation: Operation,
  values: Values,
  origin: string,
  body: { type: string; text: string } | null,
): string {
  const { method, needs, parameters } = operation;
  const isOpen = needs.startsWith('Nothing');
  const headers = parameters.filter(
    ({ name, in: place }) => place === 'header' && (values[name] ?? '') !== '',
  );
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(origin + addressOf(operation, values))}`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...headers.map(({ name }) => `-H ${quoted(`${name}: ${values[name] ?? ''}`)}`),
    ...(body === null
      ? []
      : [`-H ${quoted(`Content-Type: ${body.type}`)}`, `--data-binary ${quoted(body.text)}`]),
  ].join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
