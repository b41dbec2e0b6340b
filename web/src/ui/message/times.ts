/** The displayed time of a message, and its format. */
import type { Message } from '../../api/model';
import { type Zone, formatAge, partsOf } from '../time';

export type Times = 'absolute' | 'relative' | 'device' | 'received';

export type ShownTime = {
  text: string;
  /** The same moment with all digits. */
  rfc3339: string;
};

/**
 * `now` is only used for relative times. The day is included if the surrounding rows do not show
 * it.
 */
export function shownTime(message: Message, times: Times, zone: Zone, now: number): ShownTime {
  switch (times) {
    case 'absolute':
      return { text: clockOf(message.time, zone), rfc3339: message.time };
    case 'relative':
      return { text: formatAge(message.time, now), rfc3339: message.time };
    case 'device': {
      const time = message.device_time ?? message.time;
      return { text: dayAndClock(time, zone), rfc3339: time };
    }
    case 'received':
      return { text: dayAndClock(message.received, zone), rfc3339: message.received };
  }
}

/** `2026-01-02`: the day under which a message is listed. */
export function dayOf(rfc3339: string, zone: Zone): string {
  return partsOf(rfc3339, zone)?.date ?? '';
}

/** `Fri 2 Jan 2026` */
export function dayLabel(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return day;
  const [weekday = '', month = ''] = [WEEKDAYS[at.getUTCDay()], MONTHS[at.getUTCMonth()]];
  return `${weekday} ${at.getUTCDate()} ${month} ${at.getUTCFullYear()}`;
}

/**
 * The difference between two moments: `+1.2 s`, `−340 ms`, `+3 min 20 s`; `0` if they are equal.
 */
export function formatOffset(rfc3339: string, from: string): string {
  const ms = Date.parse(rfc3339) - Date.parse(from);
  if (Number.isNaN(ms) || ms === 0) return '0';
  return `${ms < 0 ? '−' : '+'}${formatSpan(Math.abs(ms))}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function formatSpan(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor(ms / 1_000) % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function clockOf(rfc3339: string, zone: Zone): string {
  return partsOf(rfc3339, zone)?.clock ?? rfc3339;
}

function dayAndClock(rfc3339: string, zone: Zone): string {
  const parts = partsOf(rfc3339, zone);
  return parts === null ? rfc3339 : `${parts.date.slice(5)} ${parts.clock}`;
}
