/** The tail page's whole state. It lives in the address bar, so a tail can be shared and reloaded. */

export type TailState = {
  query: string;
  /** Empty means all of them. */
  logspaces: readonly string[];
};

type Params = Record<string, string | undefined>;

/** Never fails: what cannot be read is left to its default. */
export function readTail(params: Params): TailState {
  const logspaces = (params['logspace'] ?? '').split(',').filter((id) => id !== '');
  return { query: params['q'] ?? '', logspaces };
}

/** The shortest parameters that `readTail` reads as the same state. */
export function writeTail({ query, logspaces }: TailState): Record<string, string> {
  return {
    ...(query !== '' && { q: query }),
    ...(logspaces.length > 0 && { logspace: logspaces.join(',') }),
  };
}
