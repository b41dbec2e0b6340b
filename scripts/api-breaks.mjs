// The changes that a program written against one description of the API (OpenAPI 3.1) meets in another one:
// `breaks(old, now)` returns a line for each thing that was removed, retyped or newly required. Additions are not
// breaks: operations, optional parameters, properties of answers, values of an enumeration, statuses of refusals.
//
// A schema that has a name in both descriptions is compared once for all requests that use it (`asked`) and once for
// all answers (`answered`), so a change of it is reported in one or two lines, however many operations use it.
// Schemas inside a union or an `allOf` are reported with the one that contains them.

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/** Limits on requests, with a test whether `now` refuses something that `old` accepted. */
const LIMITS = {
  minimum: (old = -Infinity, now = -Infinity) => now > old,
  maximum: (old = Infinity, now = Infinity) => now < old,
  minLength: (old = 0, now = 0) => now > old,
  maxLength: (old = Infinity, now = Infinity) => now < old,
  minItems: (old = 0, now = 0) => now > old,
  maxItems: (old = Infinity, now = Infinity) => now < old,
  pattern: (old, now) => now !== undefined && now !== old,
};

/** Returns a line for each break, sorted. */
export function breaks(old, now) {
  return [...new Set(new Comparison(old, now).all())].sort();
}

class Comparison {
  constructor(old, now) {
    this.old = old;
    this.now = now;
    this.known = new Map();
  }

  all() {
    const found = byAddress(this.now);
    return [...byAddress(this.old)].flatMap(([address, operation]) => {
      const other = found.get(address);
      if (other === undefined) return [`${operation.name} is gone`];
      return this.operations(operation, other);
    });
  }

  operations({ name, operation: old }, { operation: now }) {
    const lines = [];
    if (old.operationId !== now.operationId)
      lines.push(`${name} is called ${now.operationId} instead of ${old.operationId}`);
    if (isOpen(old) && !isOpen(now)) lines.push(`${name} needs a login now`);
    lines.push(...this.parameters(name, old.parameters ?? [], now.parameters ?? []));
    lines.push(...this.body(name, old.requestBody, now.requestBody));
    lines.push(...this.responses(name, old.responses, now.responses));
    return lines;
  }

  parameters(name, old, now) {
    const key = ({ in: place, name: called }) => `${place} ${called}`;
    const [before, after] = [old, now].map(
      // Parameters in the path have no names on the wire: they are distinguished by their position, which is part of
      // the path.
      (list) => new Map(list.filter((one) => one.in !== 'path').map((one) => [key(one), one])),
    );
    const lines = [];
    for (const [place, parameter] of before) {
      const other = after.get(place);
      if (other === undefined) lines.push(`${name}: ${place} is gone`);
      else {
        if (other.required && !parameter.required) lines.push(`${name}: ${place} is required now`);
        // An address cannot say null, whatever the schema of a parameter allows.
        const taken = this.schemas(parameter.schema, other.schema, 'asked', `${name}: ${place}`);
        lines.push(...taken.filter((line) => !line.endsWith(': null is no longer taken')));
      }
    }
    for (const [place, { required }] of after)
      if (required && !before.has(place)) lines.push(`${name}: ${place} is new and required`);
    const [was, is] = [old, now].map((list) => list.filter((one) => one.in === 'path'));
    was.forEach(({ schema, name: called }, at) => {
      if (is[at] !== undefined)
        lines.push(...this.schemas(schema, is[at].schema, 'asked', `${name}: path ${called}`));
    });
    return lines;
  }

  body(name, old, now) {
    if (old === undefined) return now?.required ? [`${name}: a body is required now`] : [];
    if (now === undefined) return [`${name}: the body is gone`];
    const needs = now.required && !old.required ? [`${name}: the body is required now`] : [];
    return [...needs, ...this.contents(old, now, 'asked', `${name}: body`)];
  }

  responses(name, old, now) {
    const lines = Object.entries(old).flatMap(([status, given]) => {
      const [response, other] = [shared(given, this.old), shared(now[status], this.now)];
      if (other === undefined) return [`${name}: ${status} is gone`];
      const headers = Object.keys(response.headers ?? {})
        .filter((header) => other.headers?.[header] === undefined)
        .map((header) => `${name}: ${status}: the header ${header} is gone`);
      return [...headers, ...this.contents(response, other, 'answered', `${name}: ${status}`)];
    });
    const isGood = (status) => /^[123]/.test(status);
    const added = Object.keys(now).filter((status) => isGood(status) && old[status] === undefined);
    return [...lines, ...added.map((status) => `${name}: ${status} is new`)];
  }

  contents(old, now, direction, at) {
    return Object.entries(old.content ?? {}).flatMap(([type, { schema }]) => {
      const other = now.content?.[type];
      if (other === undefined) return [`${at}: ${type} is gone`];
      return this.schemas(schema, other.schema, direction, at);
    });
  }

  /** `at` names the place, unless the schema has a name. */
  schemas(old, now, direction, at) {
    if (old === undefined || now === undefined) return [];
    const name = nameOf(old);
    const place = name === null ? at : `${name} ${direction}`;
    if (name === null || nameOf(now) === null)
      return this.variants(this.flat(old, 'old'), this.flat(now, 'now'), direction, place);
    const key = `${direction} ${name} ${nameOf(now)}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, []); // for a schema that contains itself
    const lines = this.variants(this.flat(old, 'old'), this.flat(now, 'now'), direction, place);
    this.known.set(key, lines);
    return lines;
  }

  variants(old, now, direction, at) {
    const lines = [];
    for (const variant of old) {
      const alike = now.filter((other) => isAlike(variant, other));
      const tagged = alike.filter((other) => other.tag === variant.tag);
      if (tagged.length > 0 || variant.tag === null) {
        const found = (tagged.length > 0 ? tagged : alike).map((other) =>
          this.kinds(variant, other, direction, at),
        );
        found.sort((one, other) => one.length - other.length);
        if (found.length > 0) {
          lines.push(...found[0]);
          continue;
        }
      }
      // An alternative that no longer occurs in answers harms nobody, except that a program may wait for a named one.
      if (variant.tag !== null) lines.push(`${at}: no longer ${variant.tag}`);
      else if (direction === 'asked') lines.push(`${at}: ${variant.kind} is no longer taken`);
    }
    if (direction === 'answered') {
      for (const variant of now)
        if (!old.some((other) => isAlike(other, variant)))
          lines.push(`${at}: may be ${variant.kind}`);
    }
    return lines;
  }

  kinds(old, now, direction, at) {
    const lines = [];
    if (old.format !== now.format)
      lines.push(`${at}: ${now.format ?? 'no format'} instead of ${old.format ?? 'no format'}`);
    lines.push(...this.values(old, now, direction, at));
    if (direction === 'asked') {
      for (const [limit, isTighter] of Object.entries(LIMITS))
        if (isTighter(old[limit], now[limit])) lines.push(`${at}: ${limit} is ${now[limit]} now`);
      if (old.default !== undefined && old.default !== now.default)
        lines.push(`${at}: the default is ${now.default ?? 'gone'} instead of ${old.default}`);
    }
    if (old.kind === 'array')
      lines.push(...this.schemas(old.items, now.items, direction, `${at}[]`));
    if (old.kind === 'object') lines.push(...this.objects(old, now, direction, at));
    return lines;
  }

  values(old, now, direction, at) {
    if (old.enum === undefined)
      return now.enum !== undefined && direction === 'asked'
        ? [`${at}: takes only ${now.enum.join(', ')} now`]
        : [];
    if (now.enum === undefined) return direction === 'asked' ? [] : [`${at}: may be any value`];
    return old.enum
      .filter((value) => !now.enum.includes(value))
      .map((value) => `${at}: the value ${value} is gone`);
  }

  objects(old, now, direction, at) {
    const lines = [];
    for (const [name, schema] of Object.entries(old.properties)) {
      const other = now.properties[name];
      if (other === undefined) lines.push(`${at}: ${name} is gone`);
      else {
        const [was, is] = [old, now].map(({ required }) => required.has(name));
        if (direction === 'asked' && is && !was) lines.push(`${at}: ${name} is required now`);
        if (direction === 'answered' && was && !is) lines.push(`${at}: ${name} may be missing`);
        lines.push(...this.schemas(schema, other, direction, `${at}: ${name}`));
      }
    }
    for (const name of now.required)
      if (direction === 'asked' && old.properties[name] === undefined)
        lines.push(`${at}: ${name} is new and required`);
    if (isMap(old) && !isMap(now)) lines.push(`${at}: has no names of any kind any more`);
    else if (typeof old.additionalProperties === 'object' && isMap(now))
      lines.push(
        ...this.schemas(old.additionalProperties, now.additionalProperties, direction, `${at}{}`),
      );
    return lines;
  }

  /**
   * A schema as a list of the kinds of value that it allows, without references. Texts of an
   * enumeration are one kind.
   */
  flat(schema, side) {
    if (schema === true || Object.keys(schema).length === 0)
      return [{ kind: 'anything', tag: null }];
    const name = nameOf(schema);
    if (name !== null) return this.flat(this[side].components.schemas[name], side);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices !== undefined) return joined(choices.flatMap((one) => this.flat(one, side)));
    if (schema.allOf !== undefined) {
      // Each part except the last is a reference, to which the last one adds.
      const parts = schema.allOf.map((part) => this.flat(part, side));
      return parts.reduce((all, more) => all.flatMap((one) => more.map((two) => both(one, two))));
    }
    const types = schema.type === undefined ? ['anything'] : [schema.type].flat();
    return joined(types.map((kind) => tagged({ ...schema, kind, ...objectOf(schema) })));
  }
}

/** A response, which may be one that several operations share. */
function shared(response, { components }) {
  const name = response?.$ref?.split('/').at(-1);
  return name === undefined ? response : components.responses[name];
}

/**
 * The operations of a description by method and path, in which only the positions of parameters
 * matter.
 */
function byAddress({ paths }) {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method] !== undefined).map((method) => [
        `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
        { name: `${method.toUpperCase()} ${path}`, operation: item[method] },
      ]),
    ),
  );
}

function isOpen({ security }) {
  return security === undefined || security.length === 0;
}

function nameOf({ $ref: reference }) {
  return reference === undefined ? null : reference.slice('#/components/schemas/'.length);
}

/** Whether two kinds are compatible: an integer is a number. */
function isAlike({ kind: old }, { kind: now }) {
  return old === now || old === 'anything' || now === 'anything';
}

function isMap({ additionalProperties: more }) {
  return more !== undefined && more !== false;
}

function objectOf({ properties = {}, required = [] }) {
  return { properties, required: new Set(required) };
}

/**
 * An object with a property that has a single value is identified by it; an object with one
 * property, by its name.
 */
function tagged(variant) {
  if (variant.kind !== 'object') return { ...variant, tag: null };
  const entries = Object.entries(variant.properties);
  const tags = entries.filter(
    ([name, { enum: values }]) => values?.length === 1 && variant.required.has(name),
  );
  const text = tags
    .map(
      ([
        name,
        {
          enum: [value],
        },
      ]) => `${name} ${value}`,
    )
    .join(', ');
  const only = entries.length === 1 && variant.required.size === 1 ? entries[0][0] : null;
  return { ...variant, tag: text === '' ? only : text };
}

function joined(variants) {
  const texts = variants.filter(({ kind }) => kind === 'string');
  if (texts.length < 2) return variants;
  const isListed = texts.every(({ enum: values }) => values !== undefined);
  const text = isListed
    ? { ...texts[0], enum: texts.flatMap(({ enum: values }) => values) }
    : texts[0];
  if (!isListed) delete text.enum;
  return [...variants.filter(({ kind }) => kind !== 'string'), text];
}

/** Combines both schemas of an `allOf`. */
function both(one, two) {
  return tagged({
    ...one,
    ...two,
    kind: two.kind === 'anything' ? one.kind : two.kind,
    properties: { ...one.properties, ...two.properties },
    required: new Set([...(one.required ?? []), ...(two.required ?? [])]),
  });
}
