/** In which order the values of a field are shown, and which of them a search inside the field leaves. Pure. */
import type { Facet } from '../../api/model';
import { severities } from '../../ui/chart/stack';

export type FacetValue = Facet['values'][number];

/** Up to this many values are filtered in the browser; beyond that the server is asked. */
export const LISTED_MAX = 200;

/** Severities stand by severity, everything else by count. */
export function inOrder(field: string, values: readonly FacetValue[]): FacetValue[] {
  if (field !== 'severity') return [...values];
  return values.toSorted((a, b) => severities.indexOf(a.value) - severities.indexOf(b.value));
}

/** The part of all that match, as `< 1 %`, `12 %` and never a false 0 or 100. */
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

/** Whether all that is shown of the field are numbers, so that it can be summed up. */
export function isNumeric(values: readonly FacetValue[]): boolean {
  return values.length > 0 && values.every(({ value }) => /^-?\d+(?:\.\d+)?$/.test(value));
}
