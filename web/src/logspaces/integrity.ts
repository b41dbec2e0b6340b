/** Whether a logspace is intact, in words. Pure. */
import type { LogspaceInfo } from '../api/model';
import type { Check } from './jobs/checks';

export type Integrity = { text: string; tone: 'good' | 'bad' | 'busy' | 'quiet' };

export function integrityOf(info: LogspaceInfo, check: Check): Integrity {
  switch (check.kind) {
    case 'running':
      return { text: 'being verified', tone: 'busy' };
    case 'waiting':
      return { text: 'waiting', tone: 'busy' };
    case 'ended':
      return { text: 'not finished', tone: 'bad' };
    case 'done':
      return check.verification.intact
        ? { text: 'intact', tone: 'good' }
        : { text: problemsText(check.verification.problems), tone: 'bad' };
    case 'none':
      return info.damaged_parts > 0
        ? { text: `${info.damaged_parts} damaged`, tone: 'bad' }
        : { text: 'not verified', tone: 'quiet' };
  }
}

function problemsText(problems: number): string {
  if (problems === 0) return 'not finished';
  return problems === 1 ? '1 problem' : `${problems} problems`;
}
