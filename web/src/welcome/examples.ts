/** Queries that find a given message, as first examples of the query language. */
import type { Message } from '../api/model';

export type Example = { query: string; finds: string };

/** Examples from a single word to a field. A field that the message lacks gives no example. */
export function examplesFor({ message, host, program, severity_name }: Message): Example[] {
  const word = /[\p{L}\p{N}]{3,}/u.exec(message)?.[0];
  return [
    ...(word === undefined ? [] : [{ query: word, finds: 'messages with this word' }]),
    ...field('host', host, 'everything from this host'),
    ...field('program', program, 'everything from this program'),
    ...(severity_name === null
      ? []
      : field('severity', severity_name, 'everything of this severity')),
  ];
}

function field(name: string, value: string, finds: string): Example[] {
  return value === '' ? [] : [{ query: `${name}=${quotedValue(value)}`, finds }];
}

function quotedValue(value: string): string {
  return /^[\w.-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
