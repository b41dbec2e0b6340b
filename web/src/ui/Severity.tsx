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
      {icons[tone]}
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

const icons: Readonly<Record<Tone, ReactNode>> = {
  critical: <IconAlertOctagonFilled size={14} aria-hidden />,
  error: <IconCircleXFilled size={14} aria-hidden />,
  warning: <IconAlertTriangleFilled size={14} aria-hidden />,
  notice: <IconBellFilled size={14} aria-hidden />,
  info: <IconInfoCircle size={14} aria-hidden />,
  debug: <IconBug size={14} aria-hidden />,
};
