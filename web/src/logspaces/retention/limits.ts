/**
 * Converts the limits of a retention between the text in the router document and two form fields.
 * Pure.
 */
import type { RetentionText } from '../../api/logspaces';
import type { Limits } from '../growth/growth';

/** A number as typed, empty for no limit, and its unit. */
export type Field = { amount: string; unit: string };
export type Fields = { age: Field; size: Field };

export const ageUnits = [
  { value: 'h', label: 'hours' },
  { value: 'd', label: 'days' },
  { value: 'y', label: 'years' },
] as const;
export const sizeUnits = ['MiB', 'GiB', 'TiB'] as const;

const AGE_MS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};
const SIZE_BYTES: Record<string, number> = {
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};

type Written = { age?: string | null; size?: string | null };

export function fieldsOf({ age, size }: Written): Fields {
  return { age: fieldOf(age, 'd'), size: fieldOf(size, 'GiB') };
}

export function textOf({ age, size }: Fields): RetentionText {
  return {
    ...(age.amount.trim() !== '' && { age: `${age.amount.trim()}${age.unit}` }),
    ...(size.amount.trim() !== '' && { size: `${size.amount.trim()}${size.unit}` }),
  };
}

export function limitsOf({ age, size }: Written): Limits {
  return { ageMs: valueOf(age, AGE_MS), sizeBytes: valueOf(size, SIZE_BYTES) };
}

/** The problem with a field, as a first check before that of the server. */
export function wrongWith({ amount }: Field): string | undefined {
  const trimmed = amount.trim();
  if (trimmed === '' || /^[1-9]\d{0,8}$/.test(trimmed)) return undefined;
  return 'A whole number, or nothing for no limit';
}

/** A retention in words, such as `90 d or 400 GiB` or `everything`. */
export function retentionText({ age, size }: Written): string {
  const parts = [age, size].flatMap((text) =>
    text == null ? [] : [text.replace(/^(\d+)/, '$1\u202f')],
  );
  return parts.length === 0 ? 'keeps everything' : parts.join(' or ');
}

function fieldOf(text: string | null | undefined, unit: string): Field {
  const [, amount = '', written = unit] = /^(\d+)([a-zA-Z]+)$/.exec(text ?? '') ?? [];
  return { amount, unit: written };
}

function valueOf(text: string | null | undefined, units: Record<string, number>): number | null {
  const [, amount = '', unit = ''] = /^(\d+)([a-zA-Z]+)$/.exec(text ?? '') ?? [];
  const value = Number(amount) * (units[unit] ?? NaN);
  return amount === '' || Number.isNaN(value) ? null : value;
}
