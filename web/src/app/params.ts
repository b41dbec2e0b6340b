/** Search parameters as plain text, so that addresses can be read and typed: `?q=404`, not `?q=%22404%22`. */

export type Params = Record<string, string>;

export function parseParams(search: string): Params {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifyParams(params: Record<string, unknown>): string {
  const kept = Object.entries(params).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const text = new URLSearchParams(kept).toString();
  return text === '' ? '' : `?${text}`;
}
