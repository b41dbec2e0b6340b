// The wire types of /api/v1, in the shape that openapi-typescript gives them (`npm run api -w web`).

export interface components {
  schemas: {
    Problem: {
      type?: string;
      title: string;
      status: number;
      detail?: string;
      line?: number;
      column?: number;
      end_column?: number;
      path?: string;
      problems?: components['schemas']['DocumentProblem'][];
      suggestion?: string;
    };
    DocumentProblem: {
      path: string;
      message: string;
      line?: number;
      column?: number;
    };
    Role: 'admin' | 'operator' | 'analyst';
    Session: {
      authenticated: boolean;
      setup_required: boolean;
      user: { name: string; role: components['schemas']['Role'] } | null;
      csrf_token: string | null;
      version: string;
    };
    Login: { name: string; password: string };
    Setup: { code: string; name?: string; password: string };
    SearchRequest: {
      query: string;
      from?: string;
      to?: string;
      logspaces?: string[];
      limit?: number;
      order?: 'newest' | 'oldest';
      cursor?: string;
    };
    CountRequest: { query: string; from?: string; to?: string; logspaces?: string[] };
    Message: {
      id: string;
      time: string;
      received: string;
      device_time?: string;
      host: string;
      program: string;
      pid: string;
      msgid: string;
      severity: number | null;
      severity_name: string | null;
      facility: number | null;
      facility_name: string | null;
      message: string;
      raw: string;
      raw_base64?: string;
      source: string;
      peer: string;
      logspace: string;
      flags: string[];
      fields: Record<string, string | string[]>;
    };
    Coverage: {
      complete: boolean;
      scanned_messages: number;
      scanned_bytes: number;
      journal_batches: number;
      skipped_batches: number;
    };
    QueryWarning: {
      message: string;
      line?: number;
      column?: number;
      end_column?: number;
      suggestion?: string;
    };
    SearchResponse: {
      messages: components['schemas']['Message'][];
      cursor: string | null;
      took_ms: number;
      coverage: components['schemas']['Coverage'];
      warnings: components['schemas']['QueryWarning'][];
      query: string;
    };
    CountResponse: {
      count: number;
      took_ms: number;
      coverage: components['schemas']['Coverage'];
      warnings: components['schemas']['QueryWarning'][];
    };
    LogspaceInfo: {
      id: string;
      in_router: boolean;
      messages: number;
      journal_bytes: number;
      memory_bytes: number;
      first_time: string | null;
      last_time: string | null;
      durability: string;
    };
    RouterDocument: Record<string, unknown>;
    RouterChange: { revision: number; changes: string[]; warnings: string[] };
    Validation: {
      valid: boolean;
      problems: components['schemas']['DocumentProblem'][];
      warnings: string[];
      changes: string[];
      document?: components['schemas']['RouterDocument'];
      toml?: string;
    };
    Revision: {
      revision: number;
      author: string;
      comment: string;
      created_at: string;
      live: boolean;
    };
    RevisionDiff: { changes: string[]; text: string };
    SourceStatus: {
      id: string;
      kind: string;
      listeners: { url: string; state: 'listening' | 'failed'; error?: string | null }[];
      connections: number;
      messages: number;
      bytes: number;
      messages_per_second: number;
      unparsed: number;
      truncated: number;
      dropped: Record<string, number>;
      last_seen: string | null;
      queue_bytes: number;
      queue_bytes_max: number;
    };
    RouteStatus: { id: string; messages: number; messages_per_second: number };
    DestinationStatus: {
      id: string;
      kind: string;
      to: string;
      state: 'ok' | 'retrying' | 'idle';
      last_error: string | null;
      messages: number;
      bytes: number;
      messages_per_second: number;
      dropped: Record<string, number>;
      queue_messages: number;
      queue_bytes: number;
      queue_bytes_max: number;
      oldest_ms: number | null;
    };
    LogspaceStatus: {
      id: string;
      state: 'ok' | 'failing';
      last_error: string | null;
      messages: number;
      messages_per_second: number;
      journal_bytes: number;
      first_time: string | null;
      last_time: string | null;
    };
    RouterStatus: {
      revision: number;
      applied_at: string;
      sources: components['schemas']['SourceStatus'][];
      routes: components['schemas']['RouteStatus'][];
      unrouted_messages: number;
      destinations: components['schemas']['DestinationStatus'][];
      logspaces: components['schemas']['LogspaceStatus'][];
    };
  };
}

type Schemas = components['schemas'];
type Answer<Body> = {
  responses: {
    200: { headers: Record<string, unknown>; content: { 'application/json': Body } };
    default: {
      headers: Record<string, unknown>;
      content: { 'application/problem+json': Schemas['Problem'] };
    };
  };
};
type Sends<Body> = { requestBody: { content: { 'application/json': Body } } };
type SendsDocument = {
  requestBody: { content: { 'application/json': Schemas['RouterDocument']; 'application/toml': string } };
};
type Revisioned = { parameters: { path: { revision: number } } };

export interface paths {
  '/api/v1/session': {
    get: Answer<Schemas['Session']>;
    post: Sends<Schemas['Login']> & Answer<Schemas['Session']>;
    delete: { responses: { 204: { headers: Record<string, unknown>; content?: never } } };
  };
  '/api/v1/setup': { post: Sends<Schemas['Setup']> & Answer<Schemas['Session']> };
  '/api/v1/search': { post: Sends<Schemas['SearchRequest']> & Answer<Schemas['SearchResponse']> };
  '/api/v1/count': { post: Sends<Schemas['CountRequest']> & Answer<Schemas['CountResponse']> };
  '/api/v1/messages/{id}': {
    get: { parameters: { path: { id: string } } } & Answer<Schemas['Message']>;
  };
  '/api/v1/logspaces': { get: Answer<{ logspaces: Schemas['LogspaceInfo'][] }> };
  '/api/v1/router': {
    get: Answer<Schemas['RouterDocument']>;
    put: {
      parameters: { header: { 'If-Match': string }; query?: { comment?: string } };
    } & SendsDocument &
      Answer<Schemas['RouterChange']>;
  };
  '/api/v1/router/validate': { post: SendsDocument & Answer<Schemas['Validation']> };
  '/api/v1/router/status': { get: Answer<Schemas['RouterStatus']> };
  '/api/v1/router/revisions': { get: Answer<{ revisions: Schemas['Revision'][] }> };
  '/api/v1/router/revisions/{revision}': { get: Revisioned & Answer<Schemas['RouterDocument']> };
  '/api/v1/router/diff': {
    get: { parameters: { query: { from: number; to: number } } } & Answer<Schemas['RevisionDiff']>;
  };
  '/api/v1/router/rollback/{revision}': {
    post: { parameters: { path: { revision: number }; query?: { comment?: string } } } & Answer<
      Schemas['RouterChange']
    >;
  };
}
