/**
 * The order in which the values of a field are shown, and the filter by a search within the field.
 * Pure.
 */
import type { Facet } from '../../api/model';
import { severities } from '../../ui/chart/stack';
import { formatCount } from '../../ui/number';
import type { Choice } from './field';

/** `count` is missing if no message that is shown has the value. */
export type FacetValue = { value: string; count?: number };

/** Up to this many values are filtered in the browser; beyond that the server is queried. */
export const LISTED_MAX = 200;
/** Fewer distinct numbers than this are shown as values to choose from. */
const NUMBERS_MIN = 13;

/**
 * Severities are sorted by urgency, everything else by count: the first values, and the selected
 * ones wherever they are.
 */
export function inOrder(
  field: string,
  values: readonly FacetValue[],
  { values: chosen, excluded }: Choice,
  max = Infinity,
): FacetValue[] {
  const first = values.slice(0, max);
  const missing = [...chosen, ...excluded]
    .filter((value) => first.every((other) => other.value !== value))
    .map((value) => values.find((other) => other.value === value) ?? { value });
  const all = [...first, ...missing];
  if (field !== 'severity') return all;
  return all.toSorted((a, b) => severities.indexOf(a.value) - severities.indexOf(b.value));
}

/** Whether something selected may have been counted, but is not among the values. */
export function lacksChosen(facet: Facet, { values: chosen, excluded }: Choice): boolean {
  const isShown = (value: string) => facet.values.some((other) => other.value === value);
  return facet.values.length < facet.distinct && ![...chosen, ...excluded].every(isShown);
}

/** A share such as `< 1 %` or `12 %`, which is never wrongly rounded to 0 or 100. */
export function share(count: number, total: number | undefined): string {
  if (total === undefined || total <= 0) return '';
  const percent = (count / total) * 100;
  if (count > 0 && percent < 1) return '< 1 %';
  if (count < total && percent > 99) return '> 99 %';
  return `${Math.round(percent)} %`;
}

export function holding(values: readonly FacetValue[], text: string): FacetValue[] {
  const wanted = text.toLowerCase();
  return values.filter(({ value }) => value.toLowerCase().includes(wanted));
}

/** Whether a field is shown as a distribution of numbers. */
export function isNumeric(facet: Facet): boolean {
  return facet.numbers !== undefined && facet.distinct >= NUMBERS_MIN;
}

/** Whether its distribution is worth requesting. */
export function looksNumeric({ distinct, values }: Facet): boolean {
  return distinct >= NUMBERS_MIN && values.every(({ value }) => /^[-+]?[\d.]/.test(value));
}

/** The number of values, such as `5 values` or `2 of 217`; with `~` if not all were counted. */
export function valuesText({ distinct, partial }: Facet, { values }: Choice): string {
  const all = `${partial === undefined ? '' : '~'}${formatCount(distinct)}`;
  if (values.length > 0) return `${formatCount(values.length)} of ${all}`;
  return distinct === 1 ? '1 value' : `${all} values`;
}
