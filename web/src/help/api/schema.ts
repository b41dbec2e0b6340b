/** A schema of the description: its fields as rows, and its type in words. Pure. */
import type { Schema } from './description';

type Schemas = Readonly<Record<string, Schema>>;

export type Row = {
  name: string;
  /** The depth of the row. */
  depth: number;
  type: string;
  isRequired: boolean;
  about: string;
};

const DEPTH_MAX = 3;

/**
 * The fields of an object, each followed by those of its inner object. A recursive type is expanded
 * only once.
 */
export function rowsOf(
  schema: Schema,
  schemas: Schemas,
  depth = 0,
  seen: readonly Schema[] = [],
): Row[] {
  const object = objectIn(schema, schemas);
  if (object === null || depth > DEPTH_MAX || seen.includes(object)) return [];
  return propertiesOf(object, schemas).flatMap(([name, field]) => [
    {
      name,
      depth,
      type: typeText(field, schemas),
      isRequired: isRequired(object, name, schemas),
      about: aboutOf(field, schemas),
    },
    ...rowsOf(field, schemas, depth + 1, [...seen, object]),
  ]);
}

/** A type in words: `text`, `list of numbers`, `newest or oldest`. */
export function typeText(schema: Schema, schemas: Schemas): string {
  const one = resolved(schema, schemas);
  if (one.enum !== undefined) return one.enum.map(String).join(' | ');
  const parts = alternatives(one);
  if (parts.length > 0) {
    return [...new Set(parts.map((part) => typeText(part, schemas)))].join(' | ');
  }
  switch (typeName(one)) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'true | false';
    case 'array':
      return `list of ${one.items === undefined ? 'anything' : typeText(one.items, schemas)}`;
    case 'object':
      return 'object';
    case undefined:
    default:
      return one.allOf !== undefined || one.properties !== undefined ? 'object' : 'anything';
  }
}

/** The description, followed by limits and default. */
export function aboutOf(schema: Schema, schemas: Schemas): string {
  const one = resolved(schema, schemas);
  const bounds =
    one.minimum !== undefined && one.maximum !== undefined
      ? `${one.minimum} to ${one.maximum}.`
      : one.maximum !== undefined
        ? `At most ${one.maximum}.`
        : '';
  const standard = schema.default ?? one.default;
  return [schema.description ?? one.description ?? '', bounds, standardText(standard)]
    .filter((part) => part !== '')
    .join(' ');
}

function standardText(standard: unknown): string {
  const isPlain = ['string', 'number', 'boolean'].includes(typeof standard) && standard !== '';
  return isPlain ? `Default: \`${standard as string}\`.` : '';
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1);
  const one = name === undefined ? schema : (schemas[name] ?? {});
  // An enumeration with a default is written as an `allOf` of both.
  const choice = one.allOf?.map((part) => resolved(part, schemas)).find((part) => part.enum);
  if (choice === undefined) return one;
  const standard = one.allOf?.find((part) => part.default !== undefined)?.default;
  return { ...choice, ...(standard !== undefined && { default: standard }) };
}

/** The alternatives without null, which only means that the value may be omitted. */
function alternatives({ oneOf = [] }: Schema): readonly Schema[] {
  return oneOf.filter((part) => part.type !== 'null');
}

function typeName({ type }: Schema): string | undefined {
  return typeof type === 'string' ? type : type?.find((one) => one !== 'null');
}

/** The object type of a field, or that of the items in its list. */
function objectIn(schema: Schema, schemas: Schemas): Schema | null {
  const one = resolved(schema, schemas);
  if (one.items !== undefined) return objectIn(one.items, schemas);
  const parts = alternatives(one);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return objectIn(only, schemas);
  return propertiesOf(one, schemas).length > 0 ? one : null;
}

function propertiesOf(schema: Schema, schemas: Schemas): readonly (readonly [string, Schema])[] {
  const inherited = (schema.allOf ?? []).flatMap((part) =>
    propertiesOf(resolved(part, schemas), schemas),
  );
  return [...inherited, ...Object.entries(schema.properties ?? {})];
}

function isRequired(schema: Schema, name: string, schemas: Schemas): boolean {
  const parts = (schema.allOf ?? []).map((part) => resolved(part, schemas));
  return [schema, ...parts].some(({ required = [] }) => required.includes(name));
}
