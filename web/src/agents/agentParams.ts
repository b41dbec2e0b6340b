/**
 * What the page shows, for the address bar. Neither the token nor the host is in it: a link must not make somebody send
 * a secret elsewhere.
 */
export type AgentsState = {
  /** Null for the first. */
  agent: string | null;
  /** What the message that is waited for has to match; null for the test message of this browser. */
  query: string | null;
};

type Params = Record<string, string | undefined>;

export function readAgents(params: Params): AgentsState {
  return { agent: params['agent'] ?? null, query: params['q'] ?? null };
}

export function writeAgents({ agent, query }: AgentsState): Record<string, string> {
  return { ...(agent !== null && { agent }), ...(query !== null && { q: query }) };
}
