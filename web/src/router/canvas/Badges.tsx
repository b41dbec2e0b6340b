/** The draft's changes to an item, and its problems. */
import { IconAlertTriangle, IconBulb } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { DocumentProblem } from '../../api/model';
import classes from './Canvas.module.css';

export function Badges({ badges, shown = 1 }: { badges: readonly string[]; shown?: number }) {
  const more = badges.length - shown;
  return (
    <>
      {badges.slice(0, shown).map((badge) => (
        <span key={badge} className={classes.badge} title={badges.join(', ')}>
          {badge}
        </span>
      ))}
      {more > 0 && (
        <span className={classes.badge} title={badges.join(', ')}>
          +{more}
        </span>
      )}
    </>
  );
}

export function Trouble(props: { wrong: readonly DocumentProblem[]; warning: string | undefined }) {
  const { wrong, warning } = props;
  if (wrong.length > 0) {
    const text = wrong.length === 1 ? '1 problem' : `${wrong.length} problems`;
    return (
      <Said tone="bad" title={wrong.map(({ message }) => message).join('\n')}>
        {text}
      </Said>
    );
  }
  return warning === undefined ? null : (
    <Said tone="caution" title={warning}>
      {warning}
    </Said>
  );
}

type SaidProps = { tone: 'bad' | 'caution'; title: string; children: ReactNode };

function Said({ tone, title, children }: SaidProps) {
  const Icon = tone === 'bad' ? IconAlertTriangle : IconBulb;
  return (
    <span className={classes.trouble} data-tone={tone} title={title}>
      <Icon size={14} aria-hidden /> <span>{children}</span>
    </span>
  );
}
