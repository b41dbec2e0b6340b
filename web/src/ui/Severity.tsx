/** A severity as shape, word and colour, so that any one of them is sufficient to recognise it. */
import {
  IconAlertOctagonFilled,
  IconAlertTriangleFilled,
  IconBellFilled,
  IconBug,
  IconCircleXFilled,
  IconInfoCircle,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Severity.module.css';

type Tone = 'critical' | 'error' | 'warning' | 'notice' | 'info' | 'debug';

/**
 * Syslog's eight severities in six tones: emerg, alert and crit look alike and differ only in their
 * words.
 */
const tones: readonly Tone[] = [
  'critical',
  'critical',
  'critical',
  'error',
  'warning',
  'notice',
  'info',
  'debug',
];

type Props = { message: { severity: number | null; severity_name: string | null } };

export function Severity({ message }: Props) {
  const tone = tones[message.severity ?? -1];
  if (tone === undefined) return <span className="dimmed">–</span>;
  return (
    <span className={classes.severity} data-tone={tone}>
      {iconOf(tone)}
      {message.severity_name}
    </span>
  );
}

/**
 * The severity at the edge of a row: the worse it is, the taller is the bar. A usual severity has
 * no bar, but still a name.
 */
export function SeverityBar({ message }: Props) {
  const tone = tones[message.severity ?? -1];
  if (tone === undefined) return null;
  const word = message.severity_name ?? tone;
  return (
    <span className={classes.bar} data-tone={tone} role="img" aria-label={word} title={word} />
  );
}

function iconOf(tone: Tone): ReactNode {
  switch (tone) {
    case 'critical':
      return <IconAlertOctagonFilled size={14} aria-hidden />;
    case 'error':
      return <IconCircleXFilled size={14} aria-hidden />;
    case 'warning':
      return <IconAlertTriangleFilled size={14} aria-hidden />;
    case 'notice':
      return <IconBellFilled size={14} aria-hidden />;
    case 'info':
      return <IconInfoCircle size={14} aria-hidden />;
    case 'debug':
      return <IconBug size={14} aria-hidden />;
  }
}
