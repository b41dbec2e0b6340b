/** The kinds of steps, with the settings of each and what they mean. A step's own key is its first setting. */
import { type Item, isObject, listOf, textOf } from '../document';

export type StepField = {
  key: string;
  label: string;
  /**
   * `list` is written with commas, `pairs` as lines of `name = value`, and `number or rate`
   * unchanged.
   */
  kind: 'text' | 'choice' | 'list' | 'pairs' | 'number';
  choices?: readonly string[];
  placeholder?: string;
  /** The field is only used if the step's own key has one of these values. */
  onlyFor?: readonly string[];
};

export type StepKind = { kind: string; does: string; initial: Item; fields: readonly StepField[] };

const by: StepField = { key: 'by', label: 'Separately by', kind: 'list', placeholder: 'host' };

export const stepKinds: readonly StepKind[] = [
  {
    kind: 'parse',
    does: 'Reads names and values from the message into fields.',
    initial: { parse: 'json' },
    fields: [
      {
        key: 'parse',
        label: 'As',
        kind: 'choice',
        choices: ['json', 'kv', 'cef', 'leef', 'csv', 'regex', 'extract'],
      },
      {
        key: 'pattern',
        label: 'Pattern',
        kind: 'text',
        placeholder: 'user=<user> from <ip>',
        onlyFor: ['regex', 'extract'],
      },
      { key: 'columns', label: 'Columns', kind: 'list', placeholder: 'a, b', onlyFor: ['csv'] },
      { key: 'field', label: 'Of field', kind: 'text', placeholder: 'message' },
      { key: 'prefix', label: 'Prefix', kind: 'text', placeholder: 'none' },
    ],
  },
  {
    kind: 'set',
    does: 'Sets fields. A value may name others, as {tags}: all their values, with commas between.',
    initial: { set: {} },
    fields: [{ key: 'set', label: 'Fields', kind: 'pairs', placeholder: 'zone = dmz' }],
  },
  {
    kind: 'unset',
    does: 'Takes fields away.',
    initial: { unset: [] },
    fields: [{ key: 'unset', label: 'Fields', kind: 'list', placeholder: 'password, token' }],
  },
  {
    kind: 'rename',
    does: 'Gives fields other names, with all their values.',
    initial: { rename: {} },
    fields: [{ key: 'rename', label: 'Old = new', kind: 'pairs', placeholder: 'src = src_ip' }],
  },
  {
    kind: 'replace',
    does: 'Replaces what an expression matches.',
    initial: { replace: '', with: '', in: ['message'] },
    fields: [
      { key: 'replace', label: 'Expression', kind: 'text', placeholder: '\\s+' },
      { key: 'with', label: 'With', kind: 'text' },
      { key: 'in', label: 'In', kind: 'list', placeholder: 'message' },
    ],
  },
  {
    kind: 'mask',
    does: 'Hides what an expression matches, in the message, its fields and its raw bytes.',
    initial: { mask: '\\b\\d{13,16}\\b', with: '****' },
    fields: [
      { key: 'mask', label: 'Expression', kind: 'text', placeholder: '\\b\\d{13,16}\\b' },
      { key: 'with', label: 'With', kind: 'text', placeholder: '****' },
    ],
  },
  {
    kind: 'drop',
    does: 'Drops the messages that match.',
    initial: { drop: '' },
    fields: [{ key: 'drop', label: 'Query', kind: 'text', placeholder: 'severity:debug' }],
  },
  {
    kind: 'keep',
    does: 'Drops the messages that do not match.',
    initial: { keep: '' },
    fields: [{ key: 'keep', label: 'Query', kind: 'text', placeholder: 'program:sshd' }],
  },
  {
    kind: 'sample',
    does: 'Keeps a share of the messages.',
    initial: { sample: 0.1 },
    fields: [{ key: 'sample', label: 'Share, up to 1', kind: 'number', placeholder: '0.1' }, by],
  },
  {
    kind: 'throttle',
    does: 'Lets only a number of messages through in a time.',
    initial: { throttle: '100/s' },
    fields: [{ key: 'throttle', label: 'At most', kind: 'text', placeholder: '100/s' }, by],
  },
  {
    kind: 'dedup',
    does: 'Keeps the first of equal messages, and counts the others.',
    initial: { dedup: ['host', 'message'], within: '10s' },
    fields: [
      { key: 'dedup', label: 'Equal in', kind: 'list', placeholder: 'host, message' },
      { key: 'within', label: 'Within', kind: 'text', placeholder: '10s' },
    ],
  },
  {
    kind: 'tag',
    does: 'Adds values to the field tags.',
    initial: { tag: [] },
    fields: [{ key: 'tag', label: 'Tags', kind: 'list', placeholder: 'pci' }],
  },
  {
    kind: 'lookup',
    does: 'Sets fields from a table, by the value of a field.',
    initial: { lookup: '', key: 'host', set: [] },
    fields: [
      { key: 'lookup', label: 'Table', kind: 'text', placeholder: 'assets.csv' },
      { key: 'key', label: 'By field', kind: 'text', placeholder: 'host' },
      { key: 'set', label: 'Sets', kind: 'list', placeholder: 'owner, site' },
    ],
  },
];

/** The field that every step may have. */
export const whereField: StepField = {
  key: 'where',
  label: 'Only messages that match',
  kind: 'text',
  placeholder: 'all',
};

/**
 * The kind of a step; empty if it is not known here. A `lookup` step has `set` too, so more than
 * one key can match.
 */
export function kindOf(step: Item): string {
  if ('lookup' in step) return 'lookup';
  return stepKinds.find(({ kind }) => kind in step)?.kind ?? '';
}

export function stepsOf(route: Item): Item[] {
  const steps = route['steps'];
  return Array.isArray(steps) ? steps.filter(isObject) : [];
}

export function fieldsOf(step: Item): readonly StepField[] {
  const kind = stepKinds.find((one) => one.kind === kindOf(step));
  const own = textOf(step[kindOf(step)]);
  const fields = (kind?.fields ?? []).filter(
    ({ onlyFor, key }) => onlyFor === undefined || onlyFor.includes(own) || key in step,
  );
  return [...fields, whereField];
}

/** A step in a few words after its kind: `json`, `host, message within 10s`. */
export function aboutStep(step: Item): string {
  const kind = kindOf(step);
  const value = step[kind];
  const own = isObject(value)
    ? Object.entries(value)
        .map(([name, to]) => `${name} = ${textOf(to)}`)
        .join(', ')
    : listOf(value).join(', ') || textOf(value);
  const within = textOf(step['within']);
  return within === '' ? own : `${own} within ${within}`;
}
