/**
 * The server's description of its API, converted to the form that the page shows. Pure; the
 * description is OpenAPI 3.1.
 */

export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  additionalProperties?: boolean | Schema;
};

type Content = Readonly<Record<string, { schema?: Schema; example?: unknown }>>;

export type Parameter = {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema?: Schema;
  example?: unknown;
};

/** An answer, or the place of one that operations share. */
type WireAnswer = { description?: string; content?: Content; $ref?: string };

type WireOperation = {
  tags?: readonly string[];
  summary?: string;
  description?: string;
  operationId?: string;
  parameters?: readonly Parameter[];
  requestBody?: { content?: Content; required?: boolean };
  responses?: Readonly<Record<string, WireAnswer>>;
  security?: readonly Readonly<Record<string, unknown>>[];
};

export type Description = {
  info: { title: string; version: string };
  paths: Readonly<Record<string, Readonly<Record<string, WireOperation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    responses?: Readonly<Record<string, WireAnswer>>;
  };
};

export type DescribedBody = {
  type: string;
  schema: Schema;
  /** A body that was sent to a server, or came from one; null if the description has none. */
  example: string | null;
};

export type DescribedAnswer = { status: string; about: string; bodies: readonly DescribedBody[] };

export type Operation = {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  /** Further remarks. */
  about: string;
  /** The role or right that the caller needs. */
  needs: string;
  parameters: readonly Parameter[];
  bodies: readonly DescribedBody[];
  isBodyRequired: boolean;
  answers: readonly DescribedAnswer[];
};

export function operationsOf({ paths, components }: Description): readonly Operation[] {
  const shared = components.responses ?? {};
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, wire]) =>
      operationOf(method.toUpperCase(), path, wire, shared),
    ),
  );
}

function operationOf(
  method: string,
  path: string,
  wire: WireOperation,
  shared: Readonly<Record<string, WireAnswer>>,
): Operation {
  const answers = Object.entries(wire.responses ?? {}).map(([status, told]) => {
    const answer = shared[told.$ref?.split('/').at(-1) ?? ''] ?? told;
    return { status, about: answer.description ?? '', bodies: bodiesOf(answer.content) };
  });
  return {
    id: wire.operationId ?? `${method} ${path}`,
    method,
    path,
    tag: wire.tags?.[0] ?? 'other',
    summary: wire.summary ?? path,
    about: wire.description ?? '',
    needs: needsOf(wire),
    parameters: wire.parameters ?? [],
    bodies: bodiesOf(wire.requestBody?.content),
    isBodyRequired: wire.requestBody?.required === true,
    answers,
  };
}

function bodiesOf(content: Content = {}): readonly DescribedBody[] {
  return Object.entries(content).map(([type, { schema = {}, example }]) => ({
    type,
    schema,
    example: example === undefined ? null : textOf(example),
  }));
}

function textOf(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2);
}

/** The required role is stated in the description of the answer 403. */
function needsOf({ security, responses }: WireOperation): string {
  if (security === undefined || security.length === 0) return 'Nothing: anybody may ask.';
  const [, needed] =
    /^Needs (.*?),? or the CSRF token is missing$/.exec(responses?.['403']?.description ?? '') ??
    [];
  return needed === undefined ? 'A token, or a session.' : `A token or a session with ${needed}.`;
}

/** Groups operations by tag, in the order of the description. */
export function byTag(
  operations: readonly Operation[],
): readonly (readonly [string, readonly Operation[]])[] {
  const tags = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { tag } = operation;
    tags.set(tag, [...(tags.get(tag) ?? []), operation]);
  }
  return [...tags];
}

/** The operations that have every word of a text in their path, their summary or their tag. */
export function operationsWith(
  operations: readonly Operation[],
  text: string,
): readonly Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ method, path, summary, tag, parameters }) => {
    const names = parameters.map(({ name }) => name).join(' ');
    const all = `${method} ${path} ${summary} ${tag} ${names}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** Whether the page may send it on a click: it only reads, and its answer is finite. */
export function isRead({ method, answers, tag, path }: Operation): boolean {
  const types = answers.flatMap(({ bodies }) => bodies.map(({ type }) => type));
  const isStream = types.includes('text/event-stream');
  return method === 'GET' && !isStream && !(tag === 'session' && path.includes('/oidc/'));
}
