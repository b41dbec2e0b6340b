/** The time formats of the console: ISO-like, 24 hours, in the browser's zone or in UTC. */
import { useBrowserState } from './useBrowserState';

export type Zone = 'local' | 'utc';

const ZONE_KEY = 'logstead-zone';

/** Kept in the browser, not in the URL: a shared link means the same moments in every zone. */
export function useZone(): readonly [Zone, (zone: Zone) => void] {
  const [zone, setZone] = useBrowserState<Zone>({ key: ZONE_KEY, defaultValue: 'local' });
  return [zone, setZone];
}

/**
 * The name of the zone, for requests: there, times without a zone mean the same as in the console.
 */
export function requestZone(): string {
  const isUtc = localStorage.getItem(ZONE_KEY) === JSON.stringify('utc');
  return isUtc ? 'UTC' : browserZone();
}

/** The maximum age of a cached zone, for users who travel with an open page. */
const ZONE_AGE_MAX_MS = 10_000;
let known = { name: '', until: 0 };

/**
 * The zone is cached because asking for it takes a millisecond or two, and every request and its
 * key contain it.
 */
function browserZone(): string {
  const now = Date.now();
  if (now >= known.until) {
    const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
    known = { name, until: now + ZONE_AGE_MAX_MS };
  }
  return known.name;
}

/** `2026-01-02 03:04:05.678` */
export function formatTime(rfc3339: string, zone: Zone): string {
  const parts = partsOf(rfc3339, zone);
  return parts === null ? rfc3339 : `${parts.date} ${parts.clock}`;
}

/** The day and the time of day separately, for tables that show the day less prominently. */
export function partsOf(rfc3339: string, zone: Zone): { date: string; clock: string } | null {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return null;
  const iso = zone === 'utc' ? at.toISOString() : shiftToLocal(at).toISOString();
  return { date: iso.slice(0, -14), clock: iso.slice(-13, -1) };
}

/** A date whose UTC fields are those of `at` in local time. */
function shiftToLocal(at: Date): Date {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
}

/** `Europe/Vienna (UTC+01:00)`, or `UTC`. */
export function zoneLabel(zone: Zone, now: Date): string {
  if (zone === 'utc') return 'UTC';
  const name = browserZone();
  return name === 'UTC' ? 'UTC' : `${name} (${zoneOffset(zone, now)})`;
}

/** `UTC+01:00`, or `UTC`. */
export function zoneOffset(zone: Zone, at: Date): string {
  const minutes = -at.getTimezoneOffset();
  if (zone === 'utc' || minutes === 0) return 'UTC';
  const sign = minutes < 0 ? '-' : '+';
  const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0');
  return `UTC${sign}${hours}:${String(Math.abs(minutes) % 60).padStart(2, '0')}`;
}

/**
 * The text of a field for a moment: the moment in the zone, or the text unchanged if it is not a
 * moment.
 */
export function momentText(moment: string | null, zone: Zone): string {
  return moment === null ? '' : formatTime(moment, zone).replace(/\.000$/, '');
}

const RELATIVE = /^(now|(now)?[-+]\d+[smhdw])$/;
const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/;

/**
 * The moment that a person wrote, for a request: a relative one as it is, a date and time of the zone as RFC 3339.
 * Null when it is neither.
 */
export function parseMoment(text: string, zone: Zone): string | null {
  const trimmed = text.trim();
  if (RELATIVE.test(trimmed)) return trimmed;
  const [, date, clock = '00:00:00'] = LOCAL.exec(trimmed) ?? [];
  const iso = date === undefined ? trimmed : `${date}T${clock}${zone === 'utc' ? 'Z' : ''}`;
  const hasZone = /T.*(Z|[-+]\d{2}:\d{2})$/.test(iso);
  const at = new Date(date !== undefined || hasZone ? iso : NaN);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** `just now`, `12 s ago`, `3 min ago`, `5 h ago`, `9 d ago`. */
export function formatAge(rfc3339: string, now: number): string {
  const seconds = Math.round((now - Date.parse(rfc3339)) / 1000);
  if (Number.isNaN(seconds)) return rfc3339;
  if (seconds < 2) return 'just now';
  return `${formatSeconds(seconds)} ago`;
}

/** `0.4 s`, `12 s`, `3 min`, `5 h`, `9 d`. */
export function formatLength(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : formatSeconds(Math.round(ms / 1000));
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
