/**
 * What the page shows, for the address bar. Neither the token nor the host is in it: a link must not make somebody send
 * a secret elsewhere.
 */
import { DEFAULT_QUERY } from './arrival';

export type AgentsState = {
  /** Null for the first. */
  agent: string | null;
  /** What the message that is waited for has to match. */
  query: string;
};

type Params = Record<string, string | undefined>;

export function readAgents(params: Params): AgentsState {
  return { agent: params['agent'] ?? null, query: params['q'] ?? DEFAULT_QUERY };
}

export function writeAgents({ agent, query }: AgentsState): Record<string, string> {
  return { ...(agent !== null && { agent }), ...(query !== DEFAULT_QUERY && { q: query }) };
}
