/**
 * The state of the page, kept in the address bar. It holds neither the token nor the host: a link must not make
 * somebody send a secret elsewhere.
 */
export type AgentsState = {
  /** The id of the agent; null for the first one. */
  agent: string | null;
  /** The query that the awaited message has to match; null for the test message of this browser. */
  query: string | null;
};

type Params = Record<string, string | undefined>;

export function readAgents(params: Params): AgentsState {
  return { agent: params['agent'] ?? null, query: params['q'] ?? null };
}

export function writeAgents({ agent, query }: AgentsState): Record<string, string> {
  return { ...(agent !== null && { agent }), ...(query !== null && { q: query }) };
}
