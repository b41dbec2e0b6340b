/** When a new token ends, as it is chosen. */
import { DAY_MS } from './rows';

export const expiries = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'On a day' },
  { value: 'never', label: 'Never' },
] as const;

/** RFC 3339, or null for never. A day ends at its midnight here, so the token works on it. */
export function expiryTime(choice: string, day: string, now: number): string | null {
  if (choice === 'never') return null;
  if (choice !== 'day') return new Date(now + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${day}T00:00:00`);
  if (Number.isNaN(end.getTime())) return null;
  end.setDate(end.getDate() + 1);
  return end.toISOString();
}
