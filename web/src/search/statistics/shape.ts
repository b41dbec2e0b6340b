/**
 * The columns of an answer: which ones identify its rows, which can be drawn, and which have values
 * that can be searched for.
 */
import { splitStages } from '../../ui/query/lexer';
import type { Column, Table } from './queries';

export type Shape = {
  /** The indexes of the columns that identify the rows. */
  groups: readonly number[];
  /** The indexes of the columns with numbers. */
  measures: readonly number[];
  /** The measures whose values can be added up, so that bars of them can be stacked. */
  additive: ReadonlySet<number>;
  /** The groups that are fields of messages, so that their values can be searched for. */
  searchable: ReadonlySet<number>;
  /** Whether the query determines the order of the rows. */
  isOrdered: boolean;
};

type Stage = { name: string; text: string; words: readonly string[] };

const WORD = /"(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)+\/|\([^()]*\)|[^\s,()"]+|,/gu;

/** The fields that every message has, whatever is parsed from its text. */
const coreFields = new Set(
  'time message host program pid msgid severity facility source peer logspace flag'.split(' '),
);

/** `query` is the query as understood by the server, in its canonical form. */
export function shapeOf(table: Table, query: string): Shape {
  const stages = readStages(query);
  const firstMaker = stages.findIndex(isMaker);
  const maker = stages.findLast(isMaker);
  const before = firstMaker === -1 ? stages : stages.slice(0, firstMaker);
  const asked = new Set(groupsOf(stages[firstMaker]));
  const names = new Set(groupsOf(maker));
  const sums = sumsOf(maker);
  const isParsed = before.some(({ name }) => ['extract', 'parse', 'eval'].includes(name));
  const at = (test: (column: Column) => boolean) =>
    table.columns.flatMap((column, place) => (test(column) ? [place] : []));
  const groups = at(({ name }) => names.has(name));
  const known = ({ name }: Column) => !isParsed || coreFields.has(name);
  return {
    groups,
    measures: at(({ name, kind }) => kind === 'number' && !names.has(name)),
    additive: new Set(at(({ name }) => sums.has(name))),
    searchable: new Set(
      at((column) => names.has(column.name) && asked.has(column.name) && known(column)),
    ),
    isOrdered: isOrdered(stages, maker),
  };
}

/** The stages of a query, each without its `|`. */
export function readStages(query: string): Stage[] {
  const stages: Stage[] = [];
  let rest = splitStages(query).stages;
  while (rest !== '') {
    const { filter: text, stages: next } = splitStages(rest.replace(/^\|\s*/u, ''));
    const words = text.match(WORD) ?? [];
    stages.push({ name: words[0] ?? '', text, words });
    rest = next;
  }
  return stages;
}

/** `5m` of `timechart span=5m …`, in milliseconds. */
export function spanOf(query: string): number | null {
  const chart = readStages(query).findLast(({ name }) => name === 'timechart');
  const [, count, unit] = /\sspan=(\d+)(ms|s|m|h|d|w)\b/u.exec(chart?.text ?? '') ?? [];
  const unitMs = units.get(unit ?? '');
  return unitMs === undefined ? null : Number(count) * unitMs;
}

const units: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

function isMaker({ name }: Stage): boolean {
  return ['stats', 'timechart', 'top', 'rare', 'uniq', 'gap'].includes(name);
}

function groupsOf(stage: Stage | undefined): string[] {
  if (stage === undefined) return [];
  const words = stage.words.slice(1);
  const by = words.lastIndexOf('by');
  const listed = by === -1 ? [] : words.slice(by + 1);
  switch (stage.name) {
    case 'stats':
      return namesIn(listed);
    case 'timechart':
      return ['time', ...namesIn(listed)];
    case 'top':
    case 'rare':
      return namesIn(/^\d+$/u.test(words[0] ?? '') ? words.slice(1) : words);
    case 'gap':
      return [...namesIn(words.slice(0, words.indexOf('>'))), 'from'];
    default:
      return namesIn(words);
  }
}

function namesIn(words: readonly string[]): string[] {
  return words.filter((word) => word !== ',' && word !== 'by').map(unquoted);
}

/** The columns that contain the counts or sums of a stage. */
function sumsOf(stage: Stage | undefined): Set<string> {
  if (stage?.name === 'top' || stage?.name === 'rare') return new Set(['count']);
  const sums = new Set<string>();
  const words = stage?.words ?? [];
  words.forEach((word, at) => {
    const argument = words[at + 1];
    if ((word !== 'count' && word !== 'sum') || argument?.startsWith('(') !== true) return;
    const plain = argument === '()' ? word : `${word}${argument}`;
    sums.add(words[at + 2] === 'as' ? unquoted(words[at + 3] ?? '') : plain);
  });
  return sums;
}

function isOrdered(stages: readonly Stage[], maker: Stage | undefined): boolean {
  if (maker === undefined || maker.name === 'top' || maker.name === 'rare') return true;
  return stages.slice(stages.indexOf(maker)).some(({ name }) => name === 'sort');
}

function unquoted(word: string): string {
  if (!word.startsWith('"')) return word;
  return word.slice(1, -1).replaceAll(/\\(["\\])/gu, '$1');
}
