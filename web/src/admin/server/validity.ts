/** The validity of a certificate, from its first day to its last. */

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

export type Validity = { text: string; tone: 'good' | 'warn' | 'bad' };

export function validityOf(
  { from, until }: { from: string; until: string },
  now: number,
): Validity {
  const [begins, ends] = [Date.parse(from), Date.parse(until)];
  if (now < begins) return { text: `begins in ${daysText(begins - now)}`, tone: 'bad' };
  if (ends <= now) return { text: `expired ${daysText(now - ends)} ago`, tone: 'bad' };
  const isSoon = ends - now < SOON_DAYS * DAY_MS;
  return { text: `${daysText(ends - now)} left`, tone: isSoon ? 'warn' : 'good' };
}

function daysText(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  if (days === 0) return 'less than a day';
  return days === 1 ? '1 day' : `${days} days`;
}
