/**
 * The state of the help pages, kept in the address bar. The module is small, because the frame uses
 * it too.
 */

export type ApiState = {
  /** The search text of the list. */
  find: string;
  /** The id of the open operation; null for none. */
  operation: string | null;
};

type Params = Record<string, string | undefined>;

export function readApi(params: Params): ApiState {
  return { find: params['find'] ?? '', operation: params['op'] ?? null };
}

export function writeApi({ find, operation }: ApiState): Record<string, string> {
  return { ...(find !== '' && { find }), ...(operation !== null && { op: operation }) };
}

/** A part of a document, by the anchor of its heading; empty for all of it. The page knows which parts exist. */
export type GuideState = { document: string; part: string };

export function readGuide(params: Params): GuideState {
  return { document: params['doc'] ?? '', part: params['part'] ?? '' };
}
