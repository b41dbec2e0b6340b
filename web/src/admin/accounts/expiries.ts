/** The choices for the expiry of a new token. */
import { DAY_MS } from './rows';

export const expiries = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'On a day' },
  { value: 'never', label: 'Never' },
] as const;

/**
 * The time in RFC 3339 format, or null for never. A chosen day ends at midnight local time, so the
 * token still works on that day.
 */
export function expiryTime(choice: string, day: string, now: number): string | null {
  if (choice === 'never') return null;
  if (choice !== 'day') return new Date(now + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${day}T00:00:00`);
  if (Number.isNaN(end.getTime())) return null;
  end.setDate(end.getDate() + 1);
  return end.toISOString();
}
