/** Changes the text of a query as a click means it. Places count characters, as the server names them. */
import { splitStages } from './stages';

/** The query with `field=value` (or its opposite) added; unchanged when it is there already. */
export function withClause(query: string, field: string, value: string, exclude: boolean): string {
  return withText(query, clauseOf(field, value, exclude));
}

/** `field=value` or `-field=value`, quoted where it must be. */
export function clauseOf(field: string, value: string, exclude: boolean): string {
  return `${exclude ? '-' : ''}${fieldText(field)}=${quoted(value)}`;
}

/** The clause put beside the filter of the query, before its stages. */
export function withText(query: string, clause: string): string {
  const { filter, stages } = splitStages(query);
  const base = filter.trim();
  if (base === clause || base.endsWith(` ${clause}`)) return query;
  return joined(filterWith(base, clause), stages);
}

/** The query with a clause or a stage that was taken out put back: a stage at the end. */
export function withPart(query: string, part: string): string {
  if (!part.startsWith('|')) return withText(query, heldTogether(part));
  return `${query.trim()} ${part}`.trim();
}

/** The stages kept, and only this clause as the filter. */
export function withOnly(query: string, clause: string): string {
  return joined(clause, splitStages(query).stages);
}

/** The query without what stands from `start` to before `end`, and without the AND or `|` that joined it. */
export function withoutPart(query: string, start: number, end: number): string {
  const characters = Array.from(query);
  const before = characters.slice(0, start).join('').trimEnd();
  const after = characters.slice(end).join('').trimStart();
  const head = before.endsWith('|') ? before.slice(0, -1) : before.replace(JOINT_AT_END, '');
  const tail = head.trim() === '' ? after.replace(JOINT_AT_START, '') : after;
  return `${head.trimEnd()} ${tail}`.trim();
}

/** What stands from `start` to before `end` means its opposite. */
export function withNegated(query: string, start: number, end: number): string {
  const characters = Array.from(query);
  const clause = characters.slice(start, end).join('');
  const positive = clause.replace(NEGATION, '');
  const opposite = positive === clause ? `-${heldTogether(clause)}` : positive;
  return characters.slice(0, start).join('') + opposite + characters.slice(end).join('');
}

/** The query with another stage at its end. */
export function withStage(query: string, stage: string): string {
  return `${query.trim()} | ${stage}`.trim();
}

/** A name as a query writes it. */
export function fieldText(field: string): string {
  return /^[\p{L}_@.][\p{L}\p{N}_.@-]*$/u.test(field) ? field : `"${field.replaceAll('"', '\\"')}"`;
}

/** A value that cannot be read as anything but itself stands alone; all others are quoted. */
export function quoted(value: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(value) && !/^(?:and|or|not|in|to)$/iu.test(value)) {
    return value;
  }
  return `"${value.replaceAll(/["\\]/gu, '\\$&')}"`;
}

const JOINT_AT_END = /(?:^|\s)(?:and|&&)$/iu;
const JOINT_AT_START = /^(?:and|&&)(?=\s|$)/iu;
const NEGATION = /^(?:[-!]|not\s+)/iu;

function filterWith(base: string, clause: string): string {
  if (base === '' || base === '*') return clause;
  return `${heldTogether(base)} ${clause}`;
}

function joined(filter: string, stages: string): string {
  return stages === '' ? filter : `${filter} ${stages}`;
}

/** AND binds tighter than OR, so an OR outside of quotes must be held together first. */
function heldTogether(clause: string): string {
  return hasOr(clause) ? `(${clause})` : clause;
}

/** What stands in parentheses or quotes is held together already. */
function hasOr(query: string): boolean {
  let text = query.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '""');
  for (;;) {
    const shorter = text.replaceAll(/\([^()]*\)/gu, '');
    if (shorter === text) break;
    text = shorter;
  }
  return /(^|\s)(or|\|\|)(\s|$)/iu.test(text);
}
