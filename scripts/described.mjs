// Compares answers of the server with the description of its API.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The formats of numbers are bounds, which the description has besides; those of binary text cannot be checked. */
const WITHOUT_A_CHECK = ['int32', 'int64', 'uint64', 'float', 'double', 'binary', 'password'];

export class Description {
  #openapi;
  #ajv;
  #validators = new Map();
  /** Every operation, with the segments of its path; those without a parameter come first. */
  #operations;

  constructor(openapi) {
    this.#openapi = openapi;
    this.#ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true });
    addFormats(this.#ajv);
    for (const format of WITHOUT_A_CHECK) this.#ajv.addFormat(format, true);
    this.#ajv.addSchema(closed(openapi), 'api');
    this.#operations = Object.entries(openapi.paths)
      .map(([path, item]) => ({ path, item, segments: path.split('/') }))
      .sort((one, other) => parameters(one.segments) - parameters(other.segments));
  }

  /** The ids of all operations. */
  get ids() {
    return this.#operations.flatMap(({ item }) => Object.values(item).map((op) => op.operationId));
  }

  /** The operation of a request, or undefined if the path is not part of the API. */
  find(method, path) {
    const segments = path.split('/');
    const key = method === 'HEAD' ? 'get' : method.toLowerCase();
    const fits = this.#operations.find((one) => matches(one.segments, segments));
    const operation = fits?.item[key];
    return operation && { ...operation, pointer: ['paths', fits.path, key] };
  }

  /**
   * The mistakes of an answer, as sentences. `whole` is whether the body was read to its end; of a
   * stream, the parts that were read are compared in any case.
   */
  mistakes({ method, path, status, media, body, whole }) {
    const operation = this.find(method, path);
    if (!operation) return [];
    const pointer = this.#response(operation, status);
    if (!pointer) return [`the status ${status} is not described`];
    const { content } = this.#at(pointer);
    const type = (media ?? '').split(';')[0].trim();
    if (!content || method === 'HEAD') {
      return content || !body ? [] : [`a body of ${type} is not described for ${status}`];
    }
    if (!(type in content)) return [`${type || 'no media type'} is not described for ${status}`];
    // Generators of clients read some streams as text only.
    const isText = content[type].schema?.type === 'string';
    const values = isText ? [body] : parts(type, body, whole);
    if (typeof values === 'string') return [`${status}: ${values}`];
    const validate = this.#validator([...pointer, 'content', type, 'schema']);
    const wrong = values.find((value) => !validate(value));
    if (wrong === undefined) return [];
    validate(wrong);
    const [{ instancePath, message, params }] = validate.errors;
    const detail = JSON.stringify(params);
    const text = JSON.stringify(wrong);
    return [
      `${status}: ${instancePath || 'the whole'} ${message} ${detail} in ${text.slice(0, 300)}`,
    ];
  }

  #response({ responses, pointer }, status) {
    // Any operation can fail for a reason of the server's own.
    const key = status === 500 ? 'default' : String(status);
    const response = responses[key];
    if (!response) return undefined;
    return response.$ref ? response.$ref.split('/').slice(1) : [...pointer, 'responses', key];
  }

  #at(pointer) {
    return pointer.reduce((value, key) => value[key], this.#openapi);
  }

  #validator(pointer) {
    const ref = `api#/${pointer
      .map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map(encodeURIComponent)
      .join('/')}`;
    if (!this.#validators.has(ref)) this.#validators.set(ref, this.#ajv.compile({ $ref: ref }));
    return this.#validators.get(ref);
  }
}

function parameters(segments) {
  return segments.filter((segment) => segment.startsWith('{')).length;
}

function matches(pattern, segments) {
  return (
    pattern.length === segments.length &&
    pattern.every((one, index) =>
      one.startsWith('{') ? segments[index] !== '' : one === segments[index],
    )
  );
}

/** The values of a body that its schema describes, or what is wrong with it. */
function parts(type, body, whole) {
  try {
    if (/[/+]json$/.test(type)) return whole ? [JSON.parse(body)] : [];
    if (type === 'application/x-ndjson') return complete(body.split('\n'), whole).map(JSON.parse);
    if (type === 'text/event-stream') {
      const data = complete(body.split('\n\n'), false).map(dataOf);
      return data.filter((text) => text !== '').map((text) => JSON.parse(text));
    }
  } catch (error) {
    return `the body cannot be read (${error.message}): ${body.slice(0, 200)}`;
  }
  return [body];
}

/** The last piece is cut if the body was not read to its end. */
function complete(pieces, whole) {
  return (whole ? pieces : pieces.slice(0, -1)).filter((piece) => piece !== '');
}

function dataOf(event) {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice(5).trimStart()).join('\n');
}

/**
 * The description with objects that have no other properties than those described, so that one that
 * is missing there is found. Parts of an `allOf` stay open, since the others describe the rest.
 */
function closed(openapi) {
  const open = new Set();
  walk(openapi, (schema) => {
    for (const part of schema.allOf ?? []) if (part.$ref) open.add(part.$ref);
  });
  const copy = JSON.parse(JSON.stringify(openapi));
  for (const [name, schema] of Object.entries(copy.components.schemas)) {
    if (!open.has(`#/components/schemas/${name}`)) close(schema);
  }
  return copy;
}

function close(schema) {
  if (schema?.properties && schema.additionalProperties === undefined && !schema.allOf) {
    schema.additionalProperties = false;
  }
  const inner = [
    ...Object.values(schema?.properties ?? {}),
    ...(schema?.oneOf ?? []),
    schema?.items,
  ];
  for (const one of inner) if (one && !one.$ref) close(one);
}

function walk(value, visit) {
  if (typeof value !== 'object' || value === null) return;
  visit(value);
  for (const part of Object.values(value)) walk(part, visit);
}
