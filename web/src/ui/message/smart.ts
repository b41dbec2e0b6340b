/** A message as shown in a row: the text in words, and the values that go with it. */
import type { Message } from '../../api/model';
import { withoutAnsi } from './text';
import { type Pair, type Structure, readStructure } from './structure';

export type Smart = {
  title: string;
  /** The other pairs: those of fields that can be queried, if the server knows any. */
  pairs: readonly Pair[];
  /** Whether the pairs are fields of the message. */
  areFields: boolean;
  structure: Structure | null;
};

const known = new WeakMap<Message, Smart>();

/** Parsed once for each message. */
export function smartOf(message: Message): Smart {
  const before = known.get(message);
  if (before !== undefined) return before;
  const smart = read(message);
  known.set(message, smart);
  return smart;
}

function read({ message, fields }: Message): Smart {
  const text = withoutAnsi(message);
  const structure = readStructure(text);
  const own = Object.entries(fields).map(([key, value]) => ({
    key,
    value: [value].flat().join(', '),
  }));
  const areFields = own.length > 0;
  const pairs = areFields ? own : (structure?.pairs ?? []);
  return { title: structure?.title ?? text, pairs, areFields, structure };
}
